import { StatePicture } from '../components/states.tsx';
import { Button, Group, Stack, Title, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { Icon, type IconName } from '../components/icons.tsx';
import { useTabTitle } from '../components/tab-title.ts';

/** A text of a message page. */
export const MessageText = (props: { role?: 'status'; children: ReactNode }) => (
  <Text c="soft" style={{ overflowWrap: 'anywhere' }} {...props} />
);

/** The technical detail of a message page. */
export const MessageDetail = ({ children }: { children: ReactNode }) => (
  <Text c="dimmed" size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
    {children}
  </Text>
);

interface MessagePageProps {
  icon: IconName;
  title: string;
  children: ReactNode;
  action?: ReactNode;
}

/** A page instead of a screen: an icon, a short text, and a Go Back button. */
export function MessagePage({ icon, title, children, action }: MessagePageProps) {
  const navigate = useNavigate();
  useTabTitle(title.replace(/\.$/, ''));
  // Older browsers cannot tell whether the previous page belongs to the application.
  const goBack = () => ('navigation' in window && window.navigation.canGoBack ? navigate(-1) : navigate('/'));
  return (
    <Stack gap={12} align="center" maw={480} mx="auto" mt="12vh" px="md" ta="center">
      <StatePicture icon={icon} />
      <Title order={1} fw={600} fz={20} lh="28px">
        {title}
      </Title>
      {children}
      <Group gap="sm" align="stretch" wrap="nowrap" mt="sm">
        {action}
        <Button variant="default" leftSection={<Icon name="left" size={16} />} onClick={goBack}>
          Go Back
        </Button>
      </Group>
    </Stack>
  );
}
