import type { ButtonHTMLAttributes } from 'react';
import styles from './plain.module.css';

/**
 * A button for pages that come before the component library, or stand in for it.
 *
 * @param kind `quiet` for what is not the one thing to do.
 */
export function PlainButton({
  kind = 'filled',
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & { readonly kind?: 'filled' | 'quiet' }) {
  return <button type="button" {...rest} className={styles.button} data-kind={kind} />;
}
