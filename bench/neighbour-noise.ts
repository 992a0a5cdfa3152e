import { Agent, request } from 'node:http';

/** Load of a client that means no good: the dearest calls of the API, many at once, from the message "on" to "off". */
const { NOISE_URL: url = '', NOISE_TOKEN: token = '' } = process.env;
const base = new URL(url);
const agent = new Agent({ keepAlive: true, maxSockets: 200 });
let isOn = false;
const counts = { taken: 0, refused: 0 };

/** Makes one call and throws its answer away unread. */
function call(method: string, path: string, body?: string): Promise<void> {
  return new Promise((done) => {
    const made = request({
      agent,
      host: base.hostname,
      port: base.port,
      method,
      path,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
      },
    });
    made.on('response', (answer) => {
      if ((answer.statusCode ?? 500) < 400) counts.taken += 1;
      else counts.refused += 1;
      answer.resume().on('close', done);
    });
    made.on('error', () => done());
    made.end(body);
  });
}

const many = (round: number): string =>
  JSON.stringify({
    xrefs: Array.from({ length: 1_000 }, (_, index) => ({
      source_entity: 'Company',
      source_value: String(1_000 + index),
      source_value_label: `Company ${index}`,
      target_entity: 'Customer',
      target_value: String((round * 7 + index) % 5_000),
      target_value_label: 'x'.repeat(200),
    })),
  });
const bodies = Array.from({ length: 8 }, (_, round) => many(round));
const dear: readonly ((round: number) => Promise<void>)[] = [
  (round) => call('POST', '/api/my/xrefs/Customer/multiple', bodies[round % bodies.length]),
  () => call('GET', '/api/my/xrefs'),
  () => call('GET', '/api/my/export'),
  (round) => call('GET', `/api/my/logs?q=${'ab'.repeat(20)}${round}`),
  () => call('GET', '/api/my/audit?q=mapping'),
  () => call('GET', '/api/my/mappings/Customer/history'),
];

async function loop(which: number): Promise<void> {
  for (let round = which; ; round += 1) {
    if (isOn) await (dear[which % dear.length] ?? dear[0])?.(round);
    else await new Promise((done) => setTimeout(done, 20));
  }
}

process.on('message', (order) => {
  if (order === 'report') process.send?.(counts);
  else isOn = order === 'on';
});
for (let which = 0; which < 48; which += 1) void loop(which);
