import { ActionIcon, useMantineColorScheme } from '@mantine/core';
import { Icon } from '../ui/icons.tsx';

const schemes = {
  light: { label: 'light', icon: 'sun', next: 'dark' },
  dark: { label: 'dark', icon: 'moon', next: 'auto' },
  auto: { label: 'like the system', icon: 'system', next: 'light' },
} as const;

/** Goes round light, dark, and whatever the system has. */
export function ColorSchemeButton() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { label, icon, next } = schemes[colorScheme];
  const words = `Colours: ${label}. Switch to ${schemes[next].label}`;
  return (
    <ActionIcon variant="subtle" color="gray" aria-label={words} title={words} onClick={() => setColorScheme(next)}>
      <Icon name={icon} />
    </ActionIcon>
  );
}
