-- Writes as a list: the number of items that follow, the name of a command, the number of its key, its arguments.

local special = {}

local function damaged(key, reason)
  return redis.error_reply('TMDAMAGED the key ' .. key .. ' ' .. reason)
end

-- A count that somebody has overwritten with something else begins anew.
local function count(key, field, change)
  local sum = redis.pcall('HINCRBY', key, field, change)
  if type(sum) ~= 'table' then return sum end
  redis.call('HSET', key, field, change)
  return tonumber(change)
end

-- Rows of history go, and the counts of elements with them: once, whoever else deletes them.
function special.forget(keys, args, first, last, events)
  local counts = keys[tonumber(args[first])]
  if redis.call('XDEL', events, args[first + 1]) == 0 then return 0 end
  for n = first + 2, last, 2 do
    if count(counts, args[n], args[n + 1]) == 0 then redis.call('HDEL', counts, args[n]) end
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

function special.HINCRBY(_, args, first, _, key)
  count(key, args[first], args[first + 1])
  return 0
end

-- Somebody may have added an entry with a higher id by hand. Then the next id will do.
function special.XADD(_, args, first, last, stream)
  local id = redis.pcall('XADD', stream, unpack(args, first, last))
  if type(id) == 'table' then redis.call('XADD', stream, '*', unpack(args, first + 1, last)) end
  return 0
end

-- Live instances with their definition, counted by it. A migration moves the count.
function special.live(keys, args, first, last, active)
  local counts = keys[tonumber(args[first])]
  for n = first + 1, last, 2 do
    local old = redis.call('HGET', active, args[n])
    if old ~= args[n + 1] then
      if old then count(counts, old, -1) end
      count(counts, args[n + 1], 1)
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
      if count(counts, old, -1) == 0 then redis.call('HDEL', counts, old) end
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

-- Entries whose ids matter: of inboxes, of the log, and commands that were put aside. A higher id that somebody has added by
-- hand makes them fail; what was added before is taken back then.
local function append(keys, args, first, last)
  local added = {}
  while first <= last do
    local stop = first + tonumber(args[first])
    local entry = { key = keys[tonumber(args[first + 2])] }
    if args[first + 1] == 'letter' then
      entry.positions, entry.position = keys[tonumber(args[first + 3])], args[first + 4]
      entry.id = redis.pcall('XADD', entry.key, '0-*', 'position', entry.position, 'at', args[first + 5],
        'reason', args[first + 6], 'payload', args[first + 7])
    else
      entry.id = redis.pcall('XADD', entry.key, unpack(args, first + 3, stop))
    end
    if type(entry.id) == 'table' then
      for _, done in ipairs(added) do redis.call('XDEL', done.key, done.id) end
      return damaged(entry.key, 'takes no entry: ' .. entry.id.err)
    end
    added[#added + 1] = entry
    first = stop + 1
  end
  for _, entry in ipairs(added) do
    if entry.positions and entry.position ~= '' then
      redis.call('HSET', entry.positions, entry.position, entry.id)
    end
  end
end

local types = { h = 'hash', z = 'zset', x = 'stream', s = 'set', t = 'string' }

-- Everything, or nothing: a function that fails midway keeps its writes, so whatever can fail is tried first.
-- args from `first` on: the type of each key, the number of arguments of entries whose ids matter, these entries, the rest.
-- Gives the number of keys that `drop` has found, or nothing and an error.
local function write(keys, args, first)
  local letters = args[first]
  for n, key in ipairs(keys) do
    local wanted = types[string.sub(letters, n, n)]
    if wanted then
      local found = redis.call('TYPE', key).ok
      if found ~= wanted and found ~= 'none' then
        return nil, damaged(key, 'is a ' .. found .. ' and must be a ' .. wanted)
      end
    end
  end
  local behind = first + 2 + tonumber(args[first + 1])
  local failure = append(keys, args, first + 2, behind - 1)
  if failure then return nil, failure end
  return apply(keys, args, behind)
end

-- Conditions of a batch: name, number of the key, field, value, the words of a refusal. Gives the first that fails.
local function refused(keys, args, first, number)
  for n = 1, number do
    local at = first + (n - 1) * 5
    local found = redis.call('HGET', keys[tonumber(args[at + 1])], args[at + 2])
    if found and (args[at] == 'absent' or found ~= args[at + 3]) then
      return redis.error_reply('TMREFUSED ' .. args[at + 4])
    end
  end
end
