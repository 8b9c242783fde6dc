-- Nodes: each is a field with JSON.

-- keys: nodes. args: holder, address or nothing, version, length of the lease.
local function announce(keys, args)
  local now = now_ms()
  local draining = false
  local nodes = redis.call('HGETALL', keys[1])
  for n = 1, #nodes, 2 do
    local node = cjson.decode(nodes[n + 1])
    if node.expires_at < now then
      redis.call('HDEL', keys[1], nodes[n])
    elseif nodes[n] == args[1] then
      -- A node does not know that an operator drains it.
      draining = node.is_draining
    end
  end
  local node = { version = args[3], expires_at = now + tonumber(args[4]), is_draining = draining }
  if args[2] ~= '' then node.address = args[2] end
  redis.call('HSET', keys[1], args[1], cjson.encode(node))
  return text(now)
end

-- keys: nodes. args: holder, whether it is to hand over what it has.
local function drain(keys, args)
  local known = redis.call('HGET', keys[1], args[1])
  if not known then return 0 end
  local node = cjson.decode(known)
  node.is_draining = args[2] == '1'
  redis.call('HSET', keys[1], args[1], cjson.encode(node))
  return 1
end

redis.register_function{ function_name = 'NAME_announce', callback = announce, flags = { 'allow-oom' } }
redis.register_function{ function_name = 'NAME_drain', callback = drain, flags = { 'allow-oom' } }
