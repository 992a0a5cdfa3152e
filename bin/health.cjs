'use strict';
// The health check of a container: exits with 0 while the process of this container answers.
const isWorker = process.env.TALLYBRIDGE_ROLE === 'worker';
const port = isWorker ? process.env.WORKER_PORT || 3001 : process.env.PORT || 3000;
fetch('http://127.0.0.1:' + port + '/healthz', { signal: AbortSignal.timeout(4000) }).then(
  (response) => process.exit(response.ok ? 0 : 1),
  () => process.exit(1),
);
