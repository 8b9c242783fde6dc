-- Reads that take more than one command.

-- Members of a sorted set behind a place, with their scores. Members of one score stand in their own order; the place itself
-- need not be there.
-- keys: set. args: number, highest score, and the score and member of the place if there is one.
local function behind(keys, args)
  local first, last = 0, redis.call('ZCOUNT', keys[1], '-inf', args[2]) - 1
  if args[3] then
    local score, member = args[3], args[4]
    first = redis.call('ZCOUNT', keys[1], '-inf', '(' .. score)
    local beyond = redis.call('ZCOUNT', keys[1], '-inf', score)
    while first < beyond do
      local middle = math.floor((first + beyond) / 2)
      -- Digits only: other characters have an order that depends on the server's language.
      if string.sub(redis.call('ZRANGE', keys[1], middle, middle)[1], 1, #member) <= member then
        first = middle + 1
      else
        beyond = middle
      end
    end
  end
  last = math.min(last, first + tonumber(args[1]) - 1)
  if last < first then return {} end
  return redis.call('ZRANGE', keys[1], first, last, 'WITHSCORES')
end

-- Commands that read, one after the other: a server without memory takes no transactions.
-- keys: those of the commands. args: for each command the number of its words, and these.
local function all(_, args)
  local answers, first = {}, 1
  while first <= #args do
    local last = first + tonumber(args[first])
    answers[#answers + 1] = redis.call(unpack(args, first + 1, last))
    first = last + 1
  end
  return answers
end

redis.register_function{ function_name = 'NAME_all', callback = all, flags = { 'no-writes' } }
redis.register_function{ function_name = 'NAME_behind', callback = behind, flags = { 'no-writes' } }
