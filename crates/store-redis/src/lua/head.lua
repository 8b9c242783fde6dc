-- The functions that write. Each checks everything before its first write: what a function has written stays, even if it
-- fails afterwards. Every key that one touches is declared.

-- The time of the server in milliseconds.
local function now_ms()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

local function text(number)
  return string.format('%.0f', number)
end

-- Numbers lose digits above 2^53, so ids are compared as texts. They have no sign and no leading zeros.
local function is_greater(a, b)
  if #a ~= #b then return #a > #b end
  return a > b
end

local function fenced()
  return redis.error_reply('TMFENCED another holder owns it')
end

local function is_owned(key, holder, epoch)
  local owner = redis.call('HMGET', key, 'holder', 'epoch')
  return owner[1] == holder and owner[2] == epoch
end
