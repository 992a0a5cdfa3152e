import { Button, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { resetItemSettings, saveItemSettings } from '#contract/settings.ts';
import { itemSettingKeys, type ItemSettingKey } from '#core/settings/item-settings.ts';
import { CallError } from '../../lib/call.ts';
import { useEnvironment } from '../../lib/environment.ts';
import { showError, showMessage } from '../../lib/flash.ts';
import { subscriptionQuery, useAction } from '../../lib/queries.ts';
import { itemSettingsConfigQuery, itemSettingsQuery } from '../../lib/setup-queries.ts';
import { readinessOf } from '../../lib/subscription.ts';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page, Panel } from '../../ui/page.tsx';
import { FailedState, Skeleton } from '../../ui/states.tsx';
import styles from './item-settings.module.css';

type Values = Readonly<Partial<Record<ItemSettingKey, string>>>;

/** How items of QuickBooks are named for lines without a mapping: one choice per kind of billing item. */
export function Component() {
  const { psa } = useEnvironment();
  const saved = useQuery(itemSettingsQuery());
  const config = useQuery(itemSettingsConfigQuery());
  const { data: subscription } = useQuery(subscriptionQuery());
  const isReadOnly = subscription !== undefined && !readinessOf(subscription).connectionsOk;
  const [edited, setEdited] = useState<Values>({});
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const settled = (message: string) => () => {
    setEdited({});
    setErrors({});
    showMessage(message, 3_000);
  };
  const onError = (error: Error) => {
    setErrors(error instanceof CallError ? error.fields : {});
    showError(error.message);
  };
  const changes = ['settings', 'subscription'] as const;
  const save = useAction(saveItemSettings, { onSuccess: settled('Saved changes.'), onError, changes });
  const reset = useAction(resetItemSettings, {
    onSuccess: settled('Item Settings reset to defaults.'),
    onError,
    changes,
  });
  const isBusy = save.isPending || reset.isPending;
  const failed = [saved, config].find((one) => one.isError && one.data === undefined);
  const changed = Object.entries(edited).filter(([key, value]) => saved.data?.[key as ItemSettingKey] !== value);

  return (
    <Page
      title="Item Settings"
      lead={`How an item of QuickBooks is found, or named when it is made, for lines of ${psa.label} invoices whose billing code has no mapping. A change applies to later syncs.`}
      actions={
        <ConfirmButton
          label="Restore Defaults"
          armedLabel="Click Again to Restore"
          onConfirm={() => reset.mutate({})}
          busy={reset.isPending}
          disabled={isReadOnly || isBusy}
        />
      }
    >
      {isReadOnly && (
        <Notice tone="warning">
          You must be connected to both {psa.label} and QuickBooks Online to modify settings.
        </Notice>
      )}
      {failed?.error !== undefined && failed.error !== null ? (
        <Panel>
          <FailedState
            what="The item settings"
            error={failed.error}
            onRetry={() => void Promise.all([saved.refetch(), config.refetch()])}
          />
        </Panel>
      ) : (
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            showMessage('Saving item_settings...');
            save.mutate({ body: Object.fromEntries(changed) });
          }}
        >
          <Panel title="Naming conventions" flush>
            <div className={styles.rows}>
              {itemSettingKeys.map((key) => {
                const entry = config.data?.[key];
                if (entry === undefined || saved.data === undefined)
                  return (
                    <div key={key} className={styles.row}>
                      <Skeleton width={120} />
                      <Skeleton width="min(300px, 100%)" height={34} />
                    </div>
                  );
                return (
                  <div key={key} className={styles.row}>
                    <Select
                      label={entry.label}
                      description={entry.help}
                      error={errors[key] ?? null}
                      data={entry.options.map(({ value, text }) => ({ value, label: text }))}
                      value={edited[key] ?? saved.data[key]}
                      disabled={isReadOnly || isBusy}
                      rightSection={<Icon name="down" size={14} />}
                      onChange={(value) => value !== null && setEdited((before) => ({ ...before, [key]: value }))}
                    />
                  </div>
                );
              })}
            </div>
            <div className={styles.foot}>
              <Button variant="default" disabled={changed.length === 0 || isBusy} onClick={() => setEdited({})}>
                Discard
              </Button>
              <Button type="submit" loading={save.isPending} disabled={changed.length === 0 || isReadOnly}>
                Save
              </Button>
            </div>
          </Panel>
        </form>
      )}
    </Page>
  );
}
