import type { Mode } from '#core/kinds.ts';
import { isNumberedByAccounting } from '#core/planning/document-fields.ts';
import { createSemaphore } from '#core/in-parallel.ts';
import type { Settings } from '#core/settings/definitions.ts';
import { createPreflight } from '../chunk/gate.ts';
import type { BatchRules } from '../chunk/rows.ts';
import { callsAtOnce } from '../chunk/send-call.ts';
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
  isOrdered: job.mode === 'live' && isNumberedByAccounting(flow.kind, settings),
  preflight: createPreflight(run, flow, settings),
  permits: { records: createSemaphore(callsAtOnce.records), documents: createSemaphore(callsAtOnce.documents) },
  progress: { callsSent: 0, isHalted: false, stoppedBy: null },
});
