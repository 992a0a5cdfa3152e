import { useState } from 'react';
import { saveGuide, type Subscription } from '#contract/subscription.ts';
import { useAction } from '../../../lib/queries.ts';
import { readinessOf } from '../../../lib/subscription.ts';
import { Button } from '../../../ui/button.tsx';
import { Panel } from '../../../ui/page.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { DetectedSettings } from './detected-settings.tsx';
import { GoLive } from './go-live.tsx';
import styles from './guide.module.css';
import { MappingSteps } from './mapping-steps.tsx';
import { TestSyncs } from './test-syncs.tsx';
import { guideWords } from './words.ts';

const steps = [
  { key: 'set-up', label: guideWords.steps['set-up'] },
  { key: 'try', label: guideWords.steps.try },
] as const;

/**
 * Leads a new client through the first ten minutes, in two steps: what both systems say, to be accepted, and what the
 * names suggest; then test syncs, the cut-off date and the switches. Goes when somebody closes it.
 */
export function Guide({ subscription }: { subscription: Subscription }) {
  const { settingsOk } = readinessOf(subscription);
  const close = useAction(saveGuide, { changes: ['subscription'] });
  // The first step is chosen once: accepting settings moves nobody on before they have seen the mappings.
  const [step, setStep] = useState<(typeof steps)[number]['key']>(settingsOk ? 'try' : 'set-up');
  return (
    <Panel
      title={guideWords.title}
      flush
      actions={
        <Button
          size="xs"
          variant="subtle"
          color="gray"
          loading={close.isPending}
          onClick={() => close.mutate({ body: { guide: 'closed' } })}
        >
          {guideWords.close}
        </Button>
      }
    >
      <Tabs label={guideWords.title} tabs={steps} open={step} onOpen={setStep}>
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
                  {guideWords.continue}
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
