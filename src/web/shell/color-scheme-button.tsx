import { chooseColorScheme, useColorScheme } from '../ui/color-scheme.ts';
import { Icon } from '../ui/icons.tsx';
import styles from './shell.module.css';

const schemes = {
  light: { label: 'light', icon: 'sun', next: 'dark' },
  dark: { label: 'dark', icon: 'moon', next: 'auto' },
  auto: { label: 'system', icon: 'system', next: 'light' },
} as const;

/** Cycles through light, dark, and the system's scheme. */
export function ColorSchemeButton() {
  const { label, icon, next } = schemes[useColorScheme()];
  const text = `Color scheme: ${label}. Switch to ${schemes[next].label}`;
  return (
    <button
      type="button"
      className={styles.tool}
      aria-label={text}
      title={text}
      onClick={() => chooseColorScheme(next)}
    >
      <Icon name={icon} />
    </button>
  );
}
