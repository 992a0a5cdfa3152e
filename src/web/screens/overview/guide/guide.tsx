import { Button } from '@mantine/core';
import { useState } from 'react';
import { saveGuide } from '#contract/calls/subscription.ts';
import type { Subscription } from '#contract/subscription.ts';
import { useAction } from '../../../data/queries.ts';
import { readinessOf } from '../../../data/subscription.ts';
import { Panel } from '../../../components/page.tsx';
import { Tabs } from '../../../components/tabs.tsx';
import { DetectedSettings } from './detected-settings.tsx';
import { GoLive } from './go-live.tsx';
import styles from './guide.module.css';
import { MappingSteps } from './mapping-steps.tsx';
import { TestSyncs } from './test-syncs.tsx';

const steps = [
  { key: 'set-up', label: '1. Set up' },
  { key: 'try', label: '2. Test, then go live' },
] as const;

/** Guides a new client in two steps: detected settings and mappings; then test syncs, start date and switches. */
export function Guide({ subscription }: { subscription: Subscription }) {
  const { settingsOk } = readinessOf(subscription);
  const close = useAction(saveGuide, { changes: ['subscription'] });
  // Computed once, so that accepting the settings does not skip the mappings.
  const [step, setStep] = useState<(typeof steps)[number]['key']>(settingsOk ? 'try' : 'set-up');
  return (
    <Panel
      title="First steps"
      flush
      actions={
        <Button
          size="xs"
          variant="subtle"
          color="gray"
          loading={close.isPending}
          onClick={() => close.mutate({ body: { guide: 'closed' } })}
        >
          Close the guide
        </Button>
      }
    >
      <Tabs label="First steps" tabs={steps} open={step} onOpen={setStep}>
        <div className={styles.body}>
          {step === 'set-up' ? (
            <>
              <DetectedSettings subscription={subscription} />
              <MappingSteps subscription={subscription} />
              <div>
                <Button
                  variant={settingsOk ? 'filled' : 'default'}
                  disabled={!settingsOk}
                  onClick={() => setStep('try')}
                >
                  Continue to test syncs
                </Button>
              </div>
            </>
          ) : (
            <>
              <TestSyncs subscription={subscription} />
              <GoLive subscription={subscription} />
            </>
          )}
        </div>
      </Tabs>
    </Panel>
  );
}
