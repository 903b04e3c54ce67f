-- Stores an answer and takes its entry off the stream, all or nothing; of several answers with one id the first counts.
--
-- KEYS: stream, result of the id, results, dead letters
-- ARGV: group, entry, whether there is an id (1 or 0), id, answer, milliseconds that it is kept, kind and reason of a dead
-- letter or nothing, deliveries
--
-- What can fail comes first, so that an entry is never taken off without its answer, and no letter is written twice.
local stream, result, results, dead = unpack(KEYS)
local group, entry, has_id, id, answer, keep, kind, reason, deliveries = unpack(ARGV)

for _, key in ipairs({ results, dead }) do
    local kind = redis.call('TYPE', key).ok
    if kind ~= 'none' and kind ~= 'stream' then
        return redis.error_reply('WRONGTYPE ' .. key .. ' is not a stream')
    end
end

local first
if has_id == '1' then
    first = redis.call('EXISTS', result) == 0
else
    first = #redis.call('XPENDING', stream, group, entry, entry, 1) == 1
end
if first then
    if kind ~= '' then
        local letter = { 'entry', entry, 'id', id, 'kind', kind, 'reason', reason, 'deliveries', deliveries }
        local found = redis.call('XRANGE', stream, entry, entry)[1]
        local fields = found and found[2] or {}
        for i = 1, #fields, 2 do
            if fields[i] == 'job' then
                table.insert(letter, 'job')
                table.insert(letter, fields[i + 1])
                break
            end
        end
        redis.call('XADD', dead, '*', unpack(letter))
    end
    local now = redis.call('TIME')
    local oldest = string.format('%.0f', math.max(0, now[1] * 1000 - keep))
    redis.call('XADD', results, 'MINID', '~', oldest, '*', 'entry', entry, 'id', id, 'answer', answer)
    if has_id == '1' then
        redis.call('SET', result, answer, 'PX', keep)
    end
end
redis.call('XACK', stream, group, entry)
redis.call('XDEL', stream, entry)
return first and 1 or 0
