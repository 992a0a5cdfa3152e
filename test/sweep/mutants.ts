/** A bug that is planted in a copy of the sources, and the tests that have to notice it. */
export interface Mutant {
  /** The product's wrong behaviour under it. */
  readonly name: string;
  /** Path from the root of the project. */
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly find: string;
  readonly replace: string;
  /**
   * A test file, and which of its tests run: a pattern of their names. With `says`, the failure has to say so, e.g. name
   * the invariant that is broken.
   */
  readonly caughtBy: { readonly file: string; readonly test?: string; readonly says?: string };
  /** Random disasters find it as well, within 200 seeds: `npm run mutants -- --chaos`. */
  readonly isFoundByChaos?: true;
}

/** The case of the sweep's sample whose name matches, and what the checker has to say of it. */
const swept = (test: string, says: string) => ({ file: 'test/sweep/sweep.test.ts', test, says });
const lostAnswer = (says: string) => swept('invoice, requestid honoured by none, .*"post:create_item:1:after"', says);
const afterPost = (says: string) => swept('sync again, requestid honoured by none', says);

/** At least fifteen, each of a kind that has cost somebody money (reliability reference 1.5). */
export const mutants: readonly Mutant[] = [
  {
    name: 'a fresh request id with every try',
    file: 'src/flows/sync/batching/request-id.ts',
    find: '.${attempt.revision}.${index}`;',
    replace: '.${attempt.revision}.${index}.${Math.random()}`;',
    caughtBy: lostAnswer('I4'),
    isFoundByChaos: true,
  },
  {
    name: 'the send is not saved before its first byte',
    file: 'src/flows/sync/batching/send-call.ts',
    find: 'const sent = asSent(await run.advance(sendStep(run, ready)));',
    replace: 'const sent = asSent(sendStep(run, ready).to);',
    caughtBy: afterPost('I1'),
  },
  {
    name: 'sent again without looking first',
    file: 'src/flows/sync/document/unsure.ts',
    find: 'found = await findSent(doc, attempt);',
    replace: 'found = await Promise.resolve(null);',
    caughtBy: afterPost('I1'),
    isFoundByChaos: true,
  },
  {
    name: 'the 130 seconds are not waited for',
    file: 'src/core/ports/accounting.ts',
    find: 'const lateApplySeconds = 130;',
    replace: 'const lateApplySeconds = 0;',
    caughtBy: { file: 'test/scenarios/racing.test.ts', test: 'counted from the takeover' },
  },
  {
    name: 'the wait begins with the first try of a worker that is gone',
    file: 'src/flows/sync/document/posting.ts',
    find: "return { from: attempt, to: { ...attempt, state: 'unsure', sentAt: run.context.clock.now() } };",
    replace: "return { from: attempt, to: { ...attempt, state: 'unsure' } };",
    caughtBy: { file: 'test/scenarios/racing.test.ts', test: 'counted from the takeover' },
  },
  {
    name: 'what was voided since it was read is sent all the same',
    file: 'src/flows/sync/batching/gate.ts',
    find: 'const stale = await findStale(going);',
    replace: 'const stale = new Map<number, StaleDecision>();',
    caughtBy: { file: 'test/scenarios/changed-meanwhile.test.ts', test: 'its log says why' },
  },
  {
    name: 'a worker that stood still sends what it was about to send',
    file: 'src/flows/sync/job/tenant-session.ts',
    find: 'const isHeld = (): boolean => clock.now() < heldUntil;',
    replace: 'const isHeld = (): boolean => true;',
    caughtBy: swept('"books.post:2:before:stop"', 'I1'),
  },
  {
    name: 'a write leaves although its sender lost the tenant while it waited for its turn',
    file: 'src/connectors/quickbooks/calls/send.ts',
    find: '&& of.egress.mayWrite?.() !== false',
    replace: '',
    caughtBy: { file: 'src/connectors/quickbooks/api.test.ts', test: 'D8 does not leave' },
  },
  {
    name: 'no fence: whoever lost the tenant goes on writing',
    file: 'src/store/leases.ts',
    find: 'if (row === undefined || lease.tenantId !== tenantId) throw',
    replace: 'if (row === undefined && lease.tenantId !== tenantId) throw',
    caughtBy: { file: 'src/store/attempts.test.ts', test: 'taken over' },
    isFoundByChaos: true,
  },
  {
    name: 'a lease never ends',
    file: 'src/store/leases.ts',
    find: "where('leases.ends_at', '<=', now),",
    replace: '',
    caughtBy: lostAnswer('I9'),
  },
  {
    name: 'a job of a dead worker is never taken up',
    file: 'src/store/jobs.ts',
    find: "where.and([where('status', '=', 'running'), where('fence', '<', lease.fence)]),",
    replace: '',
    caughtBy: swept('refused invoice', 'I9'),
  },
  {
    name: 'the tenant’s wall is not put up',
    file: 'src/store/database.ts',
    find: 'return { pool, key, takesRole: false };',
    replace: 'return { pool: owner, key, takesRole: false };',
    caughtBy: { file: 'src/store/isolation.test.ts', test: 'a session that fails in the middle' },
  },
  {
    name: 'a tenant’s connections could put their role off again',
    file: 'src/store/database.ts',
    find: 'if (login === null) return {',
    replace: 'if (login !== null) return {',
    caughtBy: { file: 'src/store/injected.test.ts', test: 'becomes nobody else' },
  },
  {
    name: 'a statement names the tenant that the wall lets through',
    file: 'src/store/migrations/0052_signed_tenant.sql',
    find: ' or bound is distinct from public.binding_token(tenant)',
    replace: '',
    caughtBy: { file: 'src/store/injected.test.ts', test: 'binds the transaction to no other client' },
  },
  {
    name: 'a tenant’s binding counts in every transaction',
    file: 'src/store/migrations/0052_signed_tenant.sql',
    find: "tenant || '|' || pg_backend_pid() || '|' || extract(epoch from transaction_timestamp())",
    replace: 'tenant',
    caughtBy: { file: 'src/store/injected.test.ts', test: 'gains nothing by a binding that it has learned' },
  },
  {
    name: 'what a transaction leaves behind stands before the tables of the next tenant',
    file: 'src/store/database.ts',
    find: "set_config('search_path', 'public, pg_temp', true),",
    replace: '',
    caughtBy: { file: 'src/store/injected.test.ts', test: 'leaves nothing behind' },
  },
  {
    name: 'money as a computer’s fraction',
    file: 'src/core/values/decimal.ts',
    find: 'canonical(new Exact(a).plus(b));',
    replace: 'canonical(new Exact(Number(a) + Number(b)));',
    caughtBy: { file: 'src/core/values/decimal.test.ts' },
  },
  {
    name: 'half cents are cut off',
    file: 'src/core/values/decimal.ts',
    find: 'canonical(new Exact(a).toDecimalPlaces(places, Big.ROUND_HALF_UP));\n\n/** Rounds an amount',
    replace: 'canonical(new Exact(a).toDecimalPlaces(places, Big.ROUND_DOWN));\n\n/** Rounds an amount',
    caughtBy: { file: 'src/core/values/decimal.test.ts' },
  },
  {
    name: 'tokens are renewed without the row’s lock',
    file: 'src/store/connections.ts',
    find: "await of(tx, scope.tenantId, 'accounting').forUpdate().executeTakeFirst();",
    replace: "await of(tx, scope.tenantId, 'accounting').executeTakeFirst();",
    caughtBy: { file: 'src/store/connections.test.ts', test: 'calls the service once' },
  },
  {
    name: 'renewed tokens are not stored',
    file: 'src/store/connections.ts',
    find: '      await storeCredentials(scope, tx, next);\n',
    replace: '',
    caughtBy: swept('token refresh without grace, requestid honoured by none', 'I10'),
  },
  {
    name: 'an answer is judged by its status alone',
    file: 'src/connectors/quickbooks/errors.ts',
    find: 'if (status >= 200 && status < 300 && isRecord(body)) return body;',
    replace: 'if (status >= 200 && status < 300) return isRecord(body) ? body : {};',
    caughtBy: { file: 'src/connectors/quickbooks/errors.test.ts' },
  },
  {
    name: 'a cut connection counts as a refusal',
    file: 'src/connectors/quickbooks/errors.ts',
    find: "const outcome = result.isUnsent ? 'not_applied' : 'unknown';",
    replace: "const outcome = 'not_applied';",
    caughtBy: { file: 'src/connectors/quickbooks/errors.test.ts' },
    isFoundByChaos: true,
  },
  {
    name: '“sync it again” is not a wish for a second document',
    file: 'src/store/postings.ts',
    find: 'return isWanted ? { generation: generation + 1, revision: 0 } : { generation, revision };',
    replace: 'return { generation, revision };',
    caughtBy: afterPost('I13'),
  },
  {
    name: 'every sync is a wish for another document',
    file: 'src/store/postings.ts',
    find: 'return isWanted ? { generation: generation + 1, revision: 0 } : { generation, revision };',
    replace: 'return { generation: generation + 1, revision: 0 };',
    caughtBy: { file: 'src/store/attempts.test.ts', test: 'keeps the generation without force' },
  },
  {
    name: 'what was paid in part is changed all the same',
    file: 'src/core/planning/plan-update.ts',
    find: "if (!isOpen(document)) return 'paid';",
    replace: '',
    caughtBy: { file: 'test/scenarios/updating-books.test.ts', test: 'that money was applied to' },
  },
  {
    name: 'a change that was carried out is not known again',
    file: 'src/connectors/quickbooks/find.ts',
    find: "if (command.do !== 'update' || syncToken === command.syncToken) return false;",
    replace: 'if (syncToken !== null) return false;',
    caughtBy: { file: 'test/scenarios/updating-books.test.ts', test: 'post:update, after' },
  },
  {
    name: 'a difference that was billed is billed again',
    file: 'src/core/planning/plan-difference.ts',
    find: 'const counted = [standing, ...earlier.filter(({ isVoided }) => !isVoided)];',
    replace: 'const counted = [standing, ...earlier.slice(0, 0)];',
    caughtBy: { file: 'test/scenarios/billed-differences.test.ts', test: 'billed once however often' },
  },
  {
    name: 'a difference that a restored ledger forgot is billed again',
    file: 'src/flows/sync/kinds/difference.ts',
    find: 'return [...new Map([...own, ...noted].map',
    replace: 'return [...new Map([...own, ...noted.slice(0, 0)].map',
    caughtBy: { file: 'test/scenarios/billed-differences.test.ts', test: 'although our records were restored' },
  },
  {
    name: 'an invoice is changed although its difference was billed',
    file: 'src/flows/sync/document/planning.ts',
    find: 'if (obstacle !== null) return',
    replace: 'if (obstacle !== null && attempt.generation < 0) return',
    caughtBy: { file: 'test/scenarios/billed-differences.test.ts', test: 'neither updated nor posted a second time' },
  },
  {
    name: 'a change overwrites what somebody has changed since it was planned',
    file: 'src/flows/sync/document/posting.ts',
    find: "if (about.cause === 'stale' && !isChange) return decideAnew",
    replace: "if (about.cause === 'stale') return decideAnew",
    caughtBy: { file: 'test/scenarios/updating-books.test.ts', test: 'at the very moment in which it is sent' },
  },
  {
    name: 'a test posts',
    file: 'src/flows/sync/document/planning.ts',
    find: "if (attempt.mode === 'test')",
    replace: "if (attempt.mode === 'live' && attempt.psaId < 0)",
    // The ledger does not take it, so that nothing is sent; the end of a test never comes.
    caughtBy: swept('test sync', 'commit:simulated:1:before'),
  },
  {
    name: 'the transcript is not saved',
    file: 'src/store/attempts.ts',
    find: "rows.map(({ to }) => (hasEnded(to) ? '[]' : toJson(to.transcript)))",
    replace: "rows.map(() => '[]')",
    caughtBy: { file: 'src/store/attempts.test.ts', test: 'read back exactly' },
  },
  {
    name: 'an ended attempt leaves no row in the log',
    file: 'src/flows/sync/document/save.ts',
    find: '      log: {\n        at,\n        transcript: formatTranscript(lines, from.logLevel, { at, outcome, text: message }),\n        ...(preview && { preview }),\n      },\n',
    replace: '',
    caughtBy: lostAnswer('I4'),
  },
  {
    name: 'the PSA is not told what a dead worker has posted',
    file: 'src/flows/sync/document/run-document.ts',
    find: 'while (!isThere(doc, current, until)) {',
    replace: "while (!isThere(doc, current, until) && attempt.state !== 'posted') {",
    caughtBy: swept('"post:create_invoice:1:after","commit:posted:1:after"', 'I9'),
    isFoundByChaos: true,
  },
  {
    name: 'IN PROCESS stays behind in the PSA',
    file: 'src/flows/sync/document/status-field.ts',
    find: "await writeStatusField(doc, attempt.psaId, 'psa:mark', attempt.running.before);",
    replace: 'await Promise.resolve();',
    caughtBy: { file: 'test/scenarios/expense-reports.test.ts', test: 'is taken back when QuickBooks is busy' },
  },
  {
    name: 'the PSA is told the id where it expects the number',
    file: 'src/flows/sync/kinds/invoice.ts',
    find: 'referenceOf: ({ number, id }) => number ?? id,',
    replace: 'referenceOf: ({ id }) => id,',
    caughtBy: lostAnswer('I3'),
  },
  {
    name: 'that a paid date is ours is not saved before it is written',
    file: 'src/flows/sync/kinds/payment.ts',
    find: 'isDue: true, ...(paidOn === null ? {} : { writtenOn: paidOn }) };',
    replace: 'isDue: true };',
    caughtBy: { file: 'test/scenarios/payments.test.ts', test: 'leaves it as ours' },
  },
  {
    name: 'changes of the feed are forgotten when they are not settled at once',
    file: 'src/store/webhook-inbox.ts',
    find: 'areWebhooksComplete, duePayments }) =>\n      inTransaction(async (tx) => {\n        await oneAtATime(tx, tenantId);\n        for (const psaId of duePayments)',
    replace:
      'areWebhooksComplete, duePayments }) =>\n      inTransaction(async (tx) => {\n        await oneAtATime(tx, tenantId);\n        for (const psaId of duePayments.slice(0, 0))',
    caughtBy: { file: 'test/scenarios/payments.test.ts' },
    isFoundByChaos: true,
  },
  {
    name: 'answers of a batch are told apart by their place',
    file: 'src/connectors/quickbooks/batch.ts',
    find: 'items.map(({ id, command }) => readItem(command, byId.get(id) ?? []));',
    replace: 'items.map(({ command }, index) => readItem(command, [...byId.values()][index] ?? []));',
    caughtBy: { file: 'src/connectors/quickbooks/api.test.ts', test: 'N10' },
  },
  {
    name: 'an invoice that was mailed, by a process that died, is mailed again',
    file: 'src/flows/sync/document/mailing.ts',
    find: '    if (isMailed)\n',
    replace: '    if (isMailed && attempt.psaId < 0)\n',
    caughtBy: swept('"post:mail:1:after"', 'mailed 2 times'),
  },
  {
    name: 'a document that the ledger does not know is made without a look',
    file: 'src/flows/sync/document/find-adoptable.ts',
    find: '  return doc.run.findByOrigin({',
    replace: "  if (attempt.mode === 'live') return null;\n  return doc.run.findByOrigin({",
    caughtBy: { file: 'test/scenarios/ledger-restored.test.ts', test: 'posted and not yet told' },
  },
  {
    name: 'an alert counts as sent before it is',
    file: 'src/flows/alerts/send-mails.ts',
    find: '      await mailer.send({ to, subject, text, html });',
    replace: '      await store.endMail(mail, clock.now());\n      await mailer.send({ to, subject, text, html });',
    caughtBy: swept('alert mails', 'was never told'),
  },
  {
    name: 'jobs and drafts of the company before go on in the one after',
    file: 'src/flows/connections/leave-company.ts',
    find: '    await connect(await stopWaiting(context, lease, change));\n    // Somebody may have asked for more while the connection was made.\n    await stopWaiting(context, lease, change);',
    replace: '    await connect({ jobs: 0, drafts: [] });',
    caughtBy: { file: 'test/scenarios/another-company.test.ts', test: 'is not what a draft was prepared for' },
  },
  {
    name: 'automatic syncs go on in another company',
    file: 'src/flows/connections/adopt-company.ts',
    find: 'automaticSyncs.filter((key) => settings[key])',
    replace: 'automaticSyncs.filter(() => false)',
    caughtBy: { file: 'test/scenarios/another-company.test.ts', test: 'posts nothing by itself of what waited' },
  },
  {
    name: 'what is on its way to the company before goes on to the one after',
    file: 'src/flows/connections/leave-company.ts',
    find: '      await close({ context, ...savesUnder(context, lease) }, attempt, change);',
    replace: '      await Promise.resolve(attempt);',
    caughtBy: swept('another company', 'I14'),
  },
  {
    name: 'a search for the id of another client reads its log',
    file: 'src/api/routes/logs.ts',
    find: 'const { logs, total, more } = await listLogs(context, {',
    replace:
      "const { logs, total, more } = await listLogs(/^[0-9a-f]{8}-/.test(q ?? '') ? serving.app.forTenant(q ?? '') : context, {",
    caughtBy: { file: 'test/isolation/matrix.test.ts', test: 'in a place that is free' },
  },
  {
    name: 'a header names the client of a request',
    file: 'src/api/serve.ts',
    find: 'context: client === null ? null : app.forTenant(client.id),',
    replace: "context: client === null ? null : app.forTenant(String(request.headers['x-client-id'] ?? client.id)),",
    caughtBy: { file: 'test/isolation/matrix.test.ts', test: 'in a header|no header but those' },
  },
  {
    name: 'a body takes keys that no schema names',
    file: 'src/contract/alerts.ts',
    find: 'z.strictObject({ receives: ',
    replace: 'z.looseObject({ receives: ',
    caughtBy: { file: 'test/isolation/matrix.test.ts', test: 'no key that a schema does not name' },
  },
  {
    name: 'a document is linked again unseen',
    file: 'src/flows/sync/document/planning.ts',
    find: 'return problems.length > 0',
    replace: 'return problems.length > 1_000',
    caughtBy: { file: 'test/scenarios/linked-again.test.ts', test: 'given out again' },
    isFoundByChaos: true,
  },
  {
    name: 'after a gap in our records, paid dates are paid that may be ours',
    file: 'src/core/planning/plan-payment.ts',
    find: '(facts.isAfterGap && before?.on !== paidOn)',
    replace: '(facts.isAfterGap && before?.on === paidOn)',
    caughtBy: { file: 'test/scenarios/paid-before-restore.test.ts', test: 'a cheque that bounced after a restore' },
  },
  {
    name: 'a database that was restored is taken for the one that was there before',
    file: 'src/store/clock.ts',
    find: 'const gapMs = 5 * 60_000;',
    replace: 'const gapMs = 5e12;',
    caughtBy: { file: 'test/scenarios/paid-before-restore.test.ts', test: 'a cheque that bounced after a restore' },
  },
  {
    name: 'documents that a restored ledger does not know stay unknown',
    file: 'src/flows/sync/job/adopt-forgotten.ts',
    find: 'await context.store.adoptPostings(run.lease, adopted, session.ledgerGap);',
    replace: 'await context.store.adoptPostings(run.lease, adopted.slice(adopted.length), session.ledgerGap);',
    caughtBy: { file: 'test/scenarios/forgotten-documents.test.ts', test: 'a customer who pays one of them' },
    isFoundByChaos: true,
  },
  {
    name: 'a void is credited again that was credited already',
    file: 'src/core/planning/plan-void.ts',
    find: 'if (facts.credit !== null)',
    replace: 'if (facts.credit !== null && facts.invoice.id < 0)',
    caughtBy: { file: 'test/scenarios/forgotten-documents.test.ts', test: 'is looked for before another one is made' },
  },
  {
    name: 'what is held after a gap is forgotten with the worker that found it',
    file: 'src/flows/sync/kinds/payment.ts',
    find: 'savePaymentStates([...rested, ...held])',
    replace: 'savePaymentStates([...rested, ...held.slice(held.length)])',
    caughtBy: { file: 'test/scenarios/paid-before-restore.test.ts', test: 'leaves none of them trusted' },
  },
  {
    name: 'a defect in one document ends the session of its client',
    file: 'src/flows/sync/document/run-document.ts',
    find: 'if (!isDefect(error) || doc.run.signal.aborted) throw error;',
    replace: 'if (isDefect(error) || doc.run.signal.aborted) throw error;',
    caughtBy: { file: 'test/scenarios/defects.test.ts', test: 'in one document ends' },
  },
];
