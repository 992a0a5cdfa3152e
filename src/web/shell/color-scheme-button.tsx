import { ActionIcon, useMantineColorScheme } from '@mantine/core';
import { Icon } from '../components/icons.tsx';

const schemes = {
  light: { label: 'light', icon: 'sun', next: 'dark' },
  dark: { label: 'dark', icon: 'moon', next: 'auto' },
  auto: { label: 'system', icon: 'system', next: 'light' },
} as const;

/** Cycles through light, dark, and the system's scheme. */
export function ColorSchemeButton() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { label, icon, next } = schemes[colorScheme];
  const text = `Color scheme: ${label}. Switch to ${schemes[next].label}`;
  return (
    <ActionIcon aria-label={text} title={text} onClick={() => setColorScheme(next)}>
      <Icon name={icon} />
    </ActionIcon>
  );
}
