/** Runs both sandbox services in a separate process, which reports their addresses to its parent. */
import { startSandboxes } from '#main/sandboxes.ts';

const sandboxes = await startSandboxes({ autotask: 0, qbo: 0 });
process.send?.({ autotaskUrl: sandboxes.autotaskUrl, quickbooksUrl: sandboxes.quickbooksUrl });
process.once('disconnect', () => void sandboxes.stop());
