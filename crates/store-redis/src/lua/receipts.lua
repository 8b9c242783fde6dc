-- Answers under idempotency keys, results of appended commands, dead letters.

-- Values begin with their time. A stream tells which fields each batch has written, so the oldest come first; a field that
-- was written again since stays.
-- keys: values, stream. args: time before which they go, their number.
local function purge(keys, args)
  local before, left, gone = tonumber(args[1]), tonumber(args[2]), 0
  while left > 0 do
    local entry = redis.call('XRANGE', keys[2], '-', '+', 'COUNT', 1)[1]
    if not entry or tonumber(entry[2][2]) >= before then break end
    for n = 4, #entry[2], 2 do
      local value = redis.call('HGET', keys[1], entry[2][n])
      if value and tonumber(string.match(value, '^%S+')) < before then
        gone = gone + redis.call('HDEL', keys[1], entry[2][n])
      end
      left = left - 1
    end
    redis.call('XDEL', keys[2], entry[1])
  end
  return gone
end

-- The command waits in the inbox again, and the letter is gone.
-- keys: letters, positions of letters, inbox. args: id, time.
local function retry(keys, args)
  local entry = redis.call('XRANGE', keys[1], args[1], args[1])[1]
  if not entry then return false end
  local id = redis.call('XADD', keys[3], '0-*', 'at', args[2], 'payload', entry[2][8])
  redis.call('HDEL', keys[2], entry[2][2])
  redis.call('XDEL', keys[1], args[1])
  return id
end

-- keys: letters, positions of letters. args: id.
local function drop(keys, args)
  local entry = redis.call('XRANGE', keys[1], args[1], args[1])[1]
  if not entry then return 0 end
  redis.call('HDEL', keys[2], entry[2][2])
  return redis.call('XDEL', keys[1], args[1])
end

-- The last batch stays: its owner may still have to find out whether it was written.
-- keys: log, owner. args: time before which they go, their number.
local function trim(keys, args)
  local last, gone = redis.call('HGET', keys[2], 'batch'), 0
  for _, entry in ipairs(redis.call('XRANGE', keys[1], '-', '+', 'COUNT', args[2])) do
    if tonumber(entry[2][2]) >= tonumber(args[1]) or entry[1] == last .. '-0' then break end
    gone = gone + redis.call('XDEL', keys[1], entry[1])
  end
  return gone
end

redis.register_function{ function_name = 'NAME_purge', callback = purge, flags = { 'allow-oom' } }
redis.register_function{ function_name = 'NAME_drop', callback = drop, flags = { 'allow-oom' } }
redis.register_function{ function_name = 'NAME_trim', callback = trim, flags = { 'allow-oom' } }
redis.register_function('NAME_retry', retry)
