import type { ComponentPropsWithRef, ElementType, ReactNode } from 'react';
import styles from './button.module.css';

interface Look {
  /** `filled` is for the primary action. */
  readonly variant?: 'filled' | 'outline' | 'light' | 'default' | 'subtle';
  readonly color?: 'accent' | 'gray' | 'red' | 'test';
  /** `xs` fits into a table row, `compact-sm` into a header. */
  readonly size?: 'sm' | 'xs' | 'compact-sm';
  readonly leftSection?: ReactNode;
  readonly rightSection?: ReactNode;
  /** The action is in progress: a spinner replaces the label, the width stays, and clicks are ignored. */
  readonly loading?: boolean;
}

/**
 * A button, or with `component` a link that looks like one. It does not use the component library, so that simple first
 * pages do not load the library.
 */
export function Button<Element extends ElementType = 'button'>({
  component,
  variant = 'filled',
  color = 'accent',
  size = 'sm',
  leftSection,
  rightSection,
  loading = false,
  className,
  children,
  ...rest
}: Look & { readonly component?: Element } & Omit<ComponentPropsWithRef<Element>, keyof Look | 'component'>) {
  const Root: ElementType = component ?? 'button';
  return (
    <Root
      {...(Root === 'button' && { type: 'button' })}
      {...rest}
      {...(loading && { disabled: true, 'data-loading': true })}
      className={className === undefined ? styles.button : `${styles.button ?? ''} ${String(className)}`}
      data-button={variant}
      data-color={color}
      data-size={size}
    >
      <span className={styles.inner}>
        {leftSection !== undefined && (
          <span className={styles.section} data-side="left">
            {leftSection}
          </span>
        )}
        {children}
        {rightSection !== undefined && (
          <span className={styles.section} data-side="right">
            {rightSection}
          </span>
        )}
      </span>
      {loading && <span className={styles.ring} aria-hidden="true" />}
    </Root>
  );
}
