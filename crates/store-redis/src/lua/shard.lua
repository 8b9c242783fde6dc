-- Service timers of a partition: a shard has a holder and an epoch of its own.

-- keys: shard, batches, then those of the list.
-- args: holder, epoch, batch, the first batch to remember, highest key, due time and key of the mark, writes.
local function commit_timers(keys, args)
  if not is_owned(keys[1], args[1], args[2]) then return fenced() end
  local _, failure = write(keys, args, 8)
  if failure then return failure end
  redis.call('HSET', keys[1], 'batch', args[3], 'highest_key', args[5], 'mark_due', args[6], 'mark_key', args[7])
  redis.call('ZADD', keys[2], args[3], args[3])
  redis.call('ZREMRANGEBYSCORE', keys[2], '-inf', '(' .. args[4])
  return text(now_ms())
end

-- Whatever was sent before is either visible now or will fail. keys: shard. args: holder.
local function begin(keys, args)
  if redis.call('HGET', keys[1], 'holder') ~= args[1] then return fenced() end
  return text(redis.call('HINCRBY', keys[1], 'epoch', 1))
end

redis.register_function('NAME_commit_timers', commit_timers)
redis.register_function{
  function_name = 'NAME_commit_timers_freeing', callback = commit_timers, flags = { 'allow-oom' }
}
redis.register_function{ function_name = 'NAME_begin', callback = begin, flags = { 'allow-oom' } }
