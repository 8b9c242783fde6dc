-- Partitions and their owners.

local LAST_MOMENT = 9007199254740991

-- Keys are given once: what an owner leaves of its block is lost.
local function next_block(owner, keys_min)
  local first = tonumber(redis.call('HGET', owner, 'next_key') or '1')
  redis.call('HSET', owner, 'next_key', text(first + keys_min))
  return first
end

-- keys: owner, shard. args: holder, length of the lease, number of keys.
local function take(keys, args)
  local now = now_ms()
  local owner = redis.call('HMGET', keys[1], 'holder', 'expires_at', 'released', 'at')
  if owner[1] and owner[1] ~= args[1] and tonumber(owner[2]) >= now then return false end
  local epoch = redis.call('HINCRBY', keys[1], 'epoch', 1)
  local expires_at = math.min(now + tonumber(args[2]), LAST_MOMENT)
  redis.call('HSET', keys[1], 'holder', args[1], 'expires_at', text(expires_at), 'released', '0')
  local first = next_block(keys[1], tonumber(args[3]))
  -- A holder that takes its own partition again keeps the shard: its timer loop goes on.
  if redis.call('HGET', keys[2], 'holder') ~= args[1] then
    redis.call('HINCRBY', keys[2], 'epoch', 1)
    redis.call('HSET', keys[2], 'holder', args[1])
  end
  return { text(epoch), text(first), text(first + tonumber(args[3])), owner[4], text(now), owner[3] or '1' }
end

-- keys: owner. args: holder, epoch, number of keys.
local function reserve(keys, args)
  if not is_owned(keys[1], args[1], args[2]) then return fenced() end
  local first = next_block(keys[1], tonumber(args[3]))
  return { text(first), text(first + tonumber(args[3])) }
end

-- keys: owners. args: length of the lease, then holder and epoch of each. Fails with the number of the first that is lost.
local function renew(keys, args)
  for n, key in ipairs(keys) do
    if not is_owned(key, args[2 * n], args[2 * n + 1]) then
      return redis.error_reply('TMFENCED ' .. text(n))
    end
  end
  local now = now_ms()
  for _, key in ipairs(keys) do
    redis.call('HSET', key, 'expires_at', text(math.min(now + tonumber(args[1]), LAST_MOMENT)))
  end
  return text(now)
end

-- keys: owner, shard. args: holder, epoch.
local function release(keys, args)
  if not is_owned(keys[1], args[1], args[2]) then return fenced() end
  redis.call('HDEL', keys[1], 'holder', 'expires_at')
  redis.call('HSET', keys[1], 'released', '1')
  redis.call('HDEL', keys[2], 'holder')
  redis.call('HINCRBY', keys[2], 'epoch', 1)
  return redis.status_reply('OK')
end

redis.register_function{ function_name = 'NAME_take', callback = take, flags = { 'allow-oom' } }
redis.register_function{ function_name = 'NAME_reserve', callback = reserve, flags = { 'allow-oom' } }
redis.register_function{ function_name = 'NAME_renew', callback = renew, flags = { 'allow-oom' } }
redis.register_function{ function_name = 'NAME_release', callback = release, flags = { 'allow-oom' } }
