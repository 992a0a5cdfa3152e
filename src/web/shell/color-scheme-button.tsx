import { chooseColorScheme, useColorScheme } from '../ui/color-scheme.ts';
import { Icon } from '../ui/icons.tsx';
import styles from './shell.module.css';
import { shellWords } from './words.ts';

const schemes = {
  light: { label: shellWords.light, icon: 'sun', next: 'dark' },
  dark: { label: shellWords.dark, icon: 'moon', next: 'auto' },
  auto: { label: shellWords.likeTheSystem, icon: 'system', next: 'light' },
} as const;

/** Cycles through light, dark, and the system's scheme. */
export function ColorSchemeButton() {
  const { label, icon, next } = schemes[useColorScheme()];
  const words = `Colours: ${label}. Switch to ${schemes[next].label}`;
  return (
    <button
      type="button"
      className={styles.tool}
      aria-label={words}
      title={words}
      onClick={() => chooseColorScheme(next)}
    >
      <Icon name={icon} />
    </button>
  );
}
