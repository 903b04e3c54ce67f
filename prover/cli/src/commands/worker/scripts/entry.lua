-- What a worker is told of an entry: its id, how often it was delivered, the bytes of its job, -1 where there is none, and
-- the job, unless it has more than `most` bytes. Of several fields `job` the first counts.
local function told(entry, deliveries, most)
    local fields = entry[2]
    for i = 1, #fields, 2 do
        if fields[i] == 'job' then
            local job = fields[i + 1]
            return { entry[1], deliveries, #job, #job <= most and job or '' }
        end
    end
    return { entry[1], deliveries, -1, '' }
end

