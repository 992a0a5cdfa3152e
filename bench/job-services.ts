/** Both sandbox services as a process of their own, which tells its parent where they are. */
import { startSandboxes } from '#main/sandboxes.ts';

const sandboxes = await startSandboxes({ autotask: 0, qbo: 0 });
process.send?.({ autotaskUrl: sandboxes.autotaskUrl, quickbooksUrl: sandboxes.quickbooksUrl });
process.once('disconnect', () => void sandboxes.stop());
