import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { saveSettings } from '#contract/calls/settings.ts';
import type { Subscription } from '#contract/subscription.ts';
import { showMessage } from '../../components/flash.ts';
import { useAction } from '../../data/queries.ts';
import { detectedQuery } from '../../data/setup-queries.ts';
import { readinessOf } from '../../data/subscription.ts';
import { Icon } from '../../components/icons.tsx';
import { FailedState, Skeleton } from '../../components/states.tsx';
import styles from './setup.module.css';

/** Facts read from both services, the settings they suggest, and a button to accept these settings. */
export function DetectedSettings({ subscription }: { subscription: Subscription }) {
  const detected = useQuery(detectedQuery());
  const { settingsOk } = readinessOf(subscription);
  const save = useAction(saveSettings, {
    onSuccess: () => showMessage('Saved changes.', 3_000),
    changes: ['settings', 'subscription'],
  });
  if (detected.isError && detected.data === undefined)
    return <FailedState what="The detected settings" error={detected.error} onRetry={() => void detected.refetch()} />;
  const proposals = (detected.data ?? []).flatMap(({ proposal }) => (proposal === null ? [] : [proposal]));
  return (
    <section className={styles.section} aria-labelledby="guide-detected">
      <h3 className={styles.title} id="guide-detected">
        Detected settings
      </h3>
      <dl className={styles.facts}>
        {detected.data === undefined
          ? Array.from({ length: 5 }, (_, at) => (
              <div key={at} className={styles.fact}>
                <dt>
                  <Skeleton width={80} />
                </dt>
                <dd>
                  <Skeleton width={`${72 - at * 6}%`} />
                </dd>
              </div>
            ))
          : detected.data.map(({ title, says, follows, proposal }) => (
              <div key={title} className={styles.fact}>
                <dt>
                  <span className={styles.mark} data-done={proposal === null}>
                    {proposal === null && <Icon name="check" size={14} />}
                  </span>
                  {title}
                </dt>
                <dd>
                  {says} <span className={styles.dim}>{follows}</span>
                </dd>
              </div>
            ))}
      </dl>
      <div className={styles.after}>
        {proposals.length > 0 && (
          <Button
            variant={settingsOk ? 'default' : 'filled'}
            loading={save.isPending}
            onClick={() => save.mutate({ body: Object.fromEntries(proposals.map(({ key, value }) => [key, value])) })}
          >
            Accept these settings
          </Button>
        )}
        {proposals.length === 0 && settingsOk && <span className={styles.ok}>These settings are accepted.</span>}
        <Link to="/settings">Open Settings</Link>
      </div>
    </section>
  );
}
