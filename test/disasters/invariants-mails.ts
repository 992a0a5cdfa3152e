import { kinds } from '#core/kinds.ts';
import type { Finding } from './checker.ts';
import { creationsOf, lockedOut, creationsFor, rowsOf, textIn, type Creation } from './documents.ts';
import type { Evidence } from './evidence.ts';
import type { ExpectedDocument } from './flow.ts';

const named = ({ kind, psaId }: ExpectedDocument): string => `${kind} ${psaId}`;

/** Returns the number of emails that QuickBooks sent with a document. */
const mailsWith = ({ mails }: Evidence, { realmId, entity, id }: Creation): number =>
  mails.filter(
    (mail) => textIn(mail, 'realmId') === realmId && textIn(mail, 'entity') === entity && textIn(mail, 'id') === id,
  ).length;

/** Returns our emails to one administrator about a document. */
const mailsAbout = ({ alertMails }: Evidence, to: string, { kind, psaId }: ExpectedDocument): number =>
  alertMails.filter(
    (mail) => mail.to === to && mail.text.replaceAll(/\s+/g, ' ').includes(`${kinds[kind].label} ${psaId}`),
  ).length;

/** Counts emails to one administrator whose sender died before it recorded the result (decision 11). */
const mailsWithUnknownResult = (evidence: Evidence, to: string): number =>
  rowsOf(evidence, 'outbox').filter((row) => row['recipient'] === to && row['was_lost'] === true).length;

/** Returns the refusals that must be reported by email, with their recipients. */
const refusalsToMail = ({ expected, alerted }: Evidence): { readonly to: string; readonly about: ExpectedDocument }[] =>
  expected.filter(({ end }) => end === 'refused').flatMap((about) => alerted.map((to) => ({ to, about })));

/** I1: QuickBooks emails a document once, and only when wanted; an alert is repeated only after a crash. */
export function mailedTwice(evidence: Evidence): Finding[] {
  const found: Finding[] = [];
  for (const one of creationsOf(evidence)) {
    const expected = evidence.expected.find(
      ({ kind, psaId }) => one.source?.kind === kind && one.source.psaId === psaId,
    );
    const [max, sent] = [expected?.isMailed === true ? 1 : 0, mailsWith(evidence, one)];
    if (sent > max) found.push({ document: `${one.entity} ${one.id}`, problem: `emailed ${sent} times` });
  }
  for (const { to, about } of refusalsToMail(evidence)) {
    const [max, came] = [1 + mailsWithUnknownResult(evidence, to), mailsAbout(evidence, to, about)];
    if (came > max) found.push({ document: named(about), problem: `${to} got ${came} alerts` });
  }
  return found;
}

/** I2: all requested emails were sent, and every refusal was reported to its recipients. */
export function neverMailed(evidence: Evidence): Finding[] {
  const found: Finding[] = [];
  const creations = creationsOf(evidence);
  for (const expected of evidence.expected) {
    if (expected.isMailed !== true || lockedOut(evidence).size > 0) continue;
    for (const one of creationsFor(creations, expected))
      if (mailsWith(evidence, one) === 0)
        found.push({ document: named(expected), problem: `${one.entity} ${one.id} was not emailed` });
  }
  for (const { to, about } of refusalsToMail(evidence)) {
    // After a second crash the outcome is unknown, so the product does not send the email again.
    const isGivenUp = evidence.deaths > 1 && mailsWithUnknownResult(evidence, to) > 0;
    if (mailsAbout(evidence, to, about) === 0 && !isGivenUp)
      found.push({ document: named(about), problem: `${to} got no alert` });
  }
  return found;
}
