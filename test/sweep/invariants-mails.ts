import { kinds } from '#core/kinds.ts';
import type { Finding } from './checker.ts';
import { creationsOf, lockedOut, madeFor, rowsOf, textIn, type Creation } from './documents.ts';
import type { Evidence } from './evidence.ts';
import type { Asked } from './flow.ts';

const named = ({ kind, psaId }: Asked): string => `${kind} ${psaId}`;

/** Returns the number of emails that QuickBooks sent with a document. */
const mailsWith = ({ mails }: Evidence, { realmId, entity, id }: Creation): number =>
  mails.filter(
    (mail) => textIn(mail, 'realmId') === realmId && textIn(mail, 'entity') === entity && textIn(mail, 'id') === id,
  ).length;

/** Returns our emails to one administrator about a document. */
const mailsAbout = ({ alertMails }: Evidence, to: string, { kind, psaId }: Asked): number =>
  alertMails.filter(
    (mail) => mail.to === to && mail.text.replaceAll(/\s+/g, ' ').includes(`${kinds[kind].label} ${psaId}`),
  ).length;

/** Mails to one administrator whose sender was gone before it could note that they were sent (decision 12). */
const lostMailsTo = (evidence: Evidence, to: string): number =>
  rowsOf(evidence, 'outgoing_mails').filter((row) => row['recipient'] === to && row['was_lost'] === true).length;

/** Refusals that were to be reported by mail, each with its recipient. */
const refusalsToMail = ({ asked, alerted }: Evidence): { readonly to: string; readonly about: Asked }[] =>
  asked.filter(({ end }) => end === 'refused').flatMap((about) => alerted.map((to) => ({ to, about })));

/** I1: QuickBooks emails a document once, and only when wanted; an alert is repeated only after a crash. */
export function mailedTwice(evidence: Evidence): Finding[] {
  const found: Finding[] = [];
  for (const one of creationsOf(evidence)) {
    const asked = evidence.asked.find(({ kind, psaId }) => one.source?.kind === kind && one.source.psaId === psaId);
    const [most, sent] = [asked?.isMailed === true ? 1 : 0, mailsWith(evidence, one)];
    if (sent > most) found.push({ document: `${one.entity} ${one.id}`, saw: `mailed ${sent} times` });
  }
  for (const { to, about } of refusalsToMail(evidence)) {
    const [most, came] = [1 + lostMailsTo(evidence, to), mailsAbout(evidence, to, about)];
    if (came > most) found.push({ document: named(about), saw: `${to} was told ${came} times` });
  }
  return found;
}

/** I2: all requested emails were sent, and every refusal was reported to its recipients. */
export function neverMailed(evidence: Evidence): Finding[] {
  const found: Finding[] = [];
  const creations = creationsOf(evidence);
  for (const asked of evidence.asked) {
    if (asked.isMailed !== true || lockedOut(evidence).size > 0) continue;
    for (const one of madeFor(creations, asked))
      if (mailsWith(evidence, one) === 0)
        found.push({ document: named(asked), saw: `${one.entity} ${one.id} was not mailed` });
  }
  for (const { to, about } of refusalsToMail(evidence)) {
    // After a second death nobody knows whether the mail server had it; then it is let go.
    const isLetGo = evidence.deaths > 1 && lostMailsTo(evidence, to) > 0;
    if (mailsAbout(evidence, to, about) === 0 && !isLetGo)
      found.push({ document: named(about), saw: `${to} was never told` });
  }
  return found;
}
