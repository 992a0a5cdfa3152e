import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import styles from './centered-card.module.css';
import { Form } from './form.tsx';
import { Mark } from './icons.tsx';

/**
 * A page without the menu: one card in the middle.
 *
 * @param lead one sentence under the title.
 * @param onSubmit makes the card a form.
 * @param below shown under the card.
 */
export function CenteredCard({
  title,
  lead,
  onSubmit,
  isBusy = false,
  isWide = false,
  below,
  children,
}: {
  title: string;
  lead?: ReactNode;
  onSubmit?: () => void;
  isBusy?: boolean;
  isWide?: boolean;
  below?: ReactNode;
  children: ReactNode;
}) {
  const content = (
    <>
      <Mark size={36} />
      <Title order={1} fz="xl" fw={600} lh="28px" lts="-0.01em" mt={-4} mb={4}>
        {title}
      </Title>
      {lead !== undefined && (
        <Text c="soft" mt={-8}>
          {lead}
        </Text>
      )}
      {children}
    </>
  );
  const className = styles.card ?? '';
  return (
    <Stack gap="md" align="center" pt="clamp(0px, 8vh, 96px)">
      {onSubmit === undefined ? (
        <Stack gap="md" className={className} data-wide={isWide}>
          {content}
        </Stack>
      ) : (
        <Form className={className} onSubmit={onSubmit} isBusy={isBusy}>
          {content}
        </Form>
      )}
      {below}
    </Stack>
  );
}
