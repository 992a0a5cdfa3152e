import { Icon, type IconName } from './icons.tsx';
import styles from './icon-button.module.css';

/**
 * A button with only an icon. It renders one element instead of the library's two, because lists have them on every
 * row.
 *
 * @param label names it for screen readers.
 * @param size of the icon, in pixels.
 */
export function IconButton({
  label,
  icon,
  size,
  isDisabled = false,
  onPress,
}: {
  label: string;
  icon: IconName;
  size: number;
  isDisabled?: boolean;
  onPress: () => void;
}) {
  return (
    <button
      type="button"
      className={styles.button}
      data-icon={icon}
      aria-label={label}
      disabled={isDisabled}
      onClick={onPress}
    >
      <Icon name={icon} size={size} />
    </button>
  );
}
