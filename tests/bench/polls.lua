-- Polls in random order from a prepared file; what they cost wrk is the same for every server.
-- Arguments: the file, and after how many polls a connection is closed.

local staying, closing = {}, {}
local polls_of_a_connection
local sent = 0

function init(args)
   polls_of_a_connection = tonumber(args[2])
   for line in io.lines(args[1]) do
      local path, token = line:match("^(%S+) (%S+)$")
      local headers = { Authorization = "Bearer " .. token, Accept = "application/json" }
      staying[#staying + 1] = wrk.format("GET", path, headers)
      headers["Connection"] = "close"
      closing[#closing + 1] = wrk.format("GET", path, headers)
   end
end

-- Connections take turns, more or less: to close one poll of many closes each now and then.
function request()
   sent = sent + 1
   local requests = sent % polls_of_a_connection == 0 and closing or staying
   return requests[math.random(#requests)]
end

function done(summary, latency)
   local errors = summary.errors
   io.write(string.format(
      'RESULT {"polls": %d, "seconds": %.6f, "p50": %.3f, "p99": %.3f, "longest": %.3f, '
         .. '"refused": %d, "broken": %d}\n',
      summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3,
      latency:percentile(99) / 1e3, latency.max / 1e3, errors.status,
      errors.connect + errors.read + errors.write + errors.timeout))
end
