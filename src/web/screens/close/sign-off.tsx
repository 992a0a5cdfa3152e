import { Checkbox, Textarea } from '@mantine/core';
import { useState } from 'react';
import { signClose, type CloseReply } from '#contract/closes.ts';
import type { SignatureKind } from '#core/reconciliation/close.ts';
import { formatMoney } from '../../lib/format.ts';
import { useAction } from '../../lib/queries.ts';
import { useReadOnly } from '../../lib/use-read-only.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Panel } from '../../ui/page.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import styles from './close.module.css';
import { closeWords } from './words.ts';

const words = { preparer: 'Prepared', reviewer: 'Reviewed' } as const;

/** E: the checklist, and two names under it. */
export function SignOff({ close, month }: { close: CloseReply; month: string }) {
  const [checked, setChecked] = useState<readonly string[]>([]);
  const [reason, setReason] = useState('');
  const isReadOnly = useReadOnly();
  const sign = useAction(signClose, { changes: ['closes'] });
  const isOpen = close.obstacles.length > 0;
  const isChecked = close.checklist.every(({ key }) => checked.includes(key));
  const mayPress = isChecked && (!isOpen || reason.trim().length > 2);
  const put = (as: SignatureKind) =>
    sign.mutate({
      params: { month },
      body: { close_id: close.id ?? '', as, checked: [...checked], ...(isOpen && { reason }) },
    });
  return (
    <Panel title={closeWords.eSignOff}>
      <div className={styles.signOff}>
        <div className={styles.lines}>
          {(['preparer', 'reviewer'] as const).map((as) => {
            const signature = close.signatures.find((one) => one.as === as);
            return (
              <div key={as} className={styles.line} data-signed={signature !== undefined}>
                <strong>
                  {signature === undefined
                    ? closeWords.notYet(words[as].toLowerCase())
                    : closeWords.doneBy(words[as], signature.by)}
                </strong>
                <span className={styles.dim}>
                  {signature === undefined ? (
                    as === 'preparer' ? (
                      'Who prepared the month'
                    ) : close.two_people ? (
                      'Somebody else, who looked at it'
                    ) : (
                      'Who looked at it; may be the same person'
                    )
                  ) : (
                    <RelativeTime at={signature.at} />
                  )}
                </span>
                {signature !== undefined && signature.reason !== null && (
                  <span className={styles.dim}>{closeWords.signedReason(signature.reason)}</span>
                )}
              </div>
            );
          })}
        </div>
        {close.may_sign_as.length > 0 && !isReadOnly && (
          <>
            {isOpen && (
              <Notice tone="warning">
                {closeWords.obstacles(
                  close.obstacles
                    .map(({ label, currency, amount }) => `${label} ${formatMoney(amount, currency)}`)
                    .join(', '),
                )}
              </Notice>
            )}
            <fieldset className={styles.checklist}>
              <legend>{closeWords.beforeYouSign}</legend>
              {close.checklist.map(({ key, label }) => (
                <Checkbox
                  key={key}
                  label={label}
                  checked={checked.includes(key)}
                  onChange={(event) =>
                    setChecked(event.currentTarget.checked ? [...checked, key] : checked.filter((one) => one !== key))
                  }
                />
              ))}
            </fieldset>
            {isOpen && (
              <Textarea
                label={closeWords.whyItIsSigned}
                autosize
                minRows={2}
                maxLength={1_000}
                value={reason}
                onChange={(event) => setReason(event.currentTarget.value)}
              />
            )}
            <div className={styles.signButtons}>
              {close.may_sign_as.map((as) => (
                <Button
                  key={as}
                  variant={as === 'preparer' || close.may_sign_as.length === 1 ? 'filled' : 'default'}
                  disabled={!mayPress}
                  loading={sign.isPending}
                  leftSection={<Icon name="check" size={16} />}
                  onClick={() => put(as)}
                >
                  {closeWords.signAs(as)}
                </Button>
              ))}
            </div>
          </>
        )}
        {close.state === 'signed' && close.books_closed && <p className={styles.dim}>{closeWords.theBooksAreClosed}</p>}
        {close.state === 'signed' && !close.books_closed && (
          <Notice
            tone="ok"
            action={
              <Button
                component="a"
                variant="default"
                href="https://qbo.intuit.com/app/settings?p=advanced"
                target="_blank"
                rel="noreferrer"
              >
                {closeWords.openQuickbooksSettings}
              </Button>
            }
          >
            {closeWords.signedSetTheClosing}
          </Notice>
        )}
      </div>
    </Panel>
  );
}
