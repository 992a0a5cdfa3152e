import type { ButtonHTMLAttributes } from 'react';
import styles from './native.module.css';

/**
 * A button for pages that load before the component library, or without it.
 *
 * @param kind `quiet` for secondary actions.
 */
export function NativeButton({
  kind = 'filled',
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & { readonly kind?: 'filled' | 'quiet' }) {
  return <button type="button" {...rest} className={styles.button} data-kind={kind} />;
}
