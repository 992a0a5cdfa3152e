import type { Mode } from '#core/kinds.ts';
import { isNumberedByBooks } from '#core/planning/document-fields.ts';
import { createSemaphore } from '#core/in-parallel.ts';
import type { Settings } from '#core/settings/definitions.ts';
import { callsAtOnce } from '../batching/send-call.ts';
import { type BatchRules, createPreflight } from '../batching/gate.ts';
import type { KindFlow } from '../kinds/kind.ts';
import type { Run } from '../run.ts';

/** Creates the rules of one job. */
export const batchRules = (
  run: Run,
  flow: KindFlow<unknown>,
  settings: Settings,
  job: Pick<BatchRules, 'total' | 'jobId'> & { readonly mode: Mode },
): BatchRules => ({
  kind: flow.kind,
  total: job.total,
  jobId: job.jobId,
  isOrdered: job.mode === 'live' && isNumberedByBooks(flow.kind, settings),
  preflight: createPreflight(run, flow, settings),
  writePermits: createSemaphore(callsAtOnce),
  progress: { callsSent: 0, isHalted: false, stoppedBy: null },
});
