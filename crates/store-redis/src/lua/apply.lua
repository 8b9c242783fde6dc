-- Writes as a list: the number of items that follow, the name of a command, the number of its key, its arguments.

local special = {}

-- Rows of history go, and the counts of elements with them: once, whoever else deletes them.
function special.forget(keys, args, first, last, events)
  local counts = keys[tonumber(args[first])]
  if redis.call('XDEL', events, args[first + 1]) == 0 then return 0 end
  for n = first + 2, last, 2 do
    if redis.call('HINCRBY', counts, args[n], args[n + 1]) == 0 then
      redis.call('HDEL', counts, args[n])
    end
  end
  return 0
end

-- A stream that has been emptied would stay otherwise.
function special.drop_empty(_, _, _, _, stream)
  if redis.call('XLEN', stream) == 0 then redis.call('UNLINK', stream) end
  return 0
end

-- Counts what was there.
function special.drop(_, _, _, _, key)
  return redis.call('UNLINK', key)
end

-- Live instances with their definition, counted by it. A migration moves the count.
function special.live(keys, args, first, last, active)
  local counts = keys[tonumber(args[first])]
  for n = first + 1, last, 2 do
    local old = redis.call('HGET', active, args[n])
    if old ~= args[n + 1] then
      if old then redis.call('HINCRBY', counts, old, -1) end
      redis.call('HINCRBY', counts, args[n + 1], 1)
      redis.call('HSET', active, args[n], args[n + 1])
    end
  end
  return 0
end

function special.unlive(keys, args, first, last, active)
  local counts = keys[tonumber(args[first])]
  for n = first + 1, last do
    local old = redis.call('HGET', active, args[n])
    if old then
      redis.call('HDEL', active, args[n])
      if redis.call('HINCRBY', counts, old, -1) == 0 then redis.call('HDEL', counts, old) end
    end
  end
  return 0
end

-- Entries of the index by key are emptied; a block without any goes, also from the list of blocks.
function special.unkey(keys, args, first, last, block)
  local none = string.rep('\0', 9)
  for n = first + 1, last do redis.call('SETRANGE', block, args[n], none) end
  if not string.find(redis.call('GET', block), '[^%z]') then
    redis.call('UNLINK', block)
    redis.call('SREM', keys[tonumber(args[first])], block)
  end
  return 0
end

-- A command that was put aside, found by its position too.
function special.letter(keys, args, first, _, letters)
  local position = args[first + 1]
  local id = redis.call('XADD', letters, '0-*', 'position', position, 'at', args[first + 2],
    'reason', args[first + 3], 'payload', args[first + 4])
  if position ~= '' then redis.call('HSET', keys[tonumber(args[first])], position, id) end
  return 0
end

-- The place of a timer goes if it is still of this key: the id may have been given to another timer since.
function special.unplace(keys, args, first, _, places)
  local place = redis.call('HGET', places, args[first + 1])
  if place and string.match(place, '^%S+') == args[first + 2] then
    redis.call('HDEL', places, args[first + 1])
    redis.call('ZREM', keys[tonumber(args[first])], args[first + 1])
  end
  return 0
end

-- Gives the number of keys that `drop` has found.
local function apply(keys, args, first)
  local dropped = 0
  while first <= #args do
    local last = first + tonumber(args[first])
    local name, key = args[first + 1], keys[tonumber(args[first + 2])]
    if special[name] then
      dropped = dropped + special[name](keys, args, first + 3, last, key)
    else
      redis.call(name, key, unpack(args, first + 3, last))
    end
    first = last + 1
  end
  return dropped
end

-- Conditions of a batch: name, number of the key, field, value, the words of a refusal. Gives the first that fails.
local function refused(keys, args, first, count)
  for n = 1, count do
    local at = first + (n - 1) * 5
    local found = redis.call('HGET', keys[tonumber(args[at + 1])], args[at + 2])
    if found and (args[at] == 'absent' or found ~= args[at + 3]) then
      return redis.error_reply('TMREFUSED ' .. args[at + 4])
    end
  end
end
