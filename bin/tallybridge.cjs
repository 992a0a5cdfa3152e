#!/usr/bin/env node
'use strict';
// Plain JavaScript, which an old Node can run: it ends with a sentence instead of a stack trace.
const minMajor = 26;
const version = process.versions.node;
if (Number(version.split('.')[0]) < minMajor) {
  console.error(
    'Tallybridge needs Node ' +
      minMajor +
      ' or later, and this is Node ' +
      version +
      '. ' +
      'Use “npm start” or “npx tallybridge start”, which run the Node that is installed with the project, or update Node.',
  );
  process.exit(1);
}
if (process.argv[2] === 'start' || process.argv[2] === 'worker') {
  // As the first process of a container, this one has no default handlers. The product replaces these with its own.
  const end = () => process.exit(0);
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
  // npm passes a signal to its shell, which ends without passing it on.
  const parent = process.ppid;
  const watch = process.env.npm_lifecycle_event === undefined ? undefined : setInterval(endWithParent, 200);
  if (watch !== undefined) watch.unref();
  function endWithParent() {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }
}
require('../src/main/cli.ts');
