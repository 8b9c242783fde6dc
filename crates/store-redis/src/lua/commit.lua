-- One batch of a partition.
-- keys: owner, log, version of the definitions, then those of the list.
-- args: holder, epoch, batch, time, highest key, number of conditions, conditions, writes.
local function commit(keys, args)
  local owner = redis.call('HMGET', keys[1], 'holder', 'epoch', 'next_key', 'batch')
  if owner[1] ~= args[1] or owner[2] ~= args[2] then return fenced() end
  if not is_greater(owner[3], args[5]) then
    return redis.error_reply('TMREFUSED - 0 key counter ' .. args[5] ..
      ' lies outside the reserved block, which ends at ' .. owner[3])
  end
  if owner[4] and not is_greater(args[3], owner[4]) then
    return redis.error_reply('TMREFUSED - 0 batch ' .. args[3] .. ' was written before, or a later one')
  end
  local version = redis.call('GET', keys[3]) or '0'
  if string.find(version, '%D') then return damaged(keys[3], 'is no number') end
  local conditions = tonumber(args[6])
  local refusal = refused(keys, args, 7, conditions)
  if refusal then return refusal end
  local _, failure = write(keys, args, 7 + conditions * 5)
  if failure then return failure end
  redis.call('HSET', keys[1], 'batch', args[3], 'at', args[4])
  return { redis.call('GET', keys[3]) or '0', text(now_ms()) }
end

-- Deletes without a fence what no owner reads or changes again. Gives the number of instances.
local function forget(keys, args)
  local dropped, failure = write(keys, args, 1)
  return failure or dropped
end

-- A note of the owner. keys: owner, note. args: holder, epoch, and the note if there is one.
local function note(keys, args)
  if not is_owned(keys[1], args[1], args[2]) then return fenced() end
  if args[3] then redis.call('SET', keys[2], args[3]) else redis.call('DEL', keys[2]) end
  return redis.status_reply('OK')
end

-- Settings of the store. keys: hash. args: names and values; an empty value removes the name.
local function set(keys, args)
  for n = 1, #args, 2 do
    if args[n + 1] == '' then
      redis.call('HDEL', keys[1], args[n])
    else
      redis.call('HSET', keys[1], args[n], args[n + 1])
    end
  end
  return redis.status_reply('OK')
end

redis.register_function('NAME_commit', commit)
redis.register_function{ function_name = 'NAME_commit_freeing', callback = commit, flags = { 'allow-oom' } }
redis.register_function{ function_name = 'NAME_forget', callback = forget, flags = { 'allow-oom' } }
redis.register_function{ function_name = 'NAME_note', callback = note, flags = { 'allow-oom' } }
redis.register_function{ function_name = 'NAME_set', callback = set, flags = { 'allow-oom' } }
