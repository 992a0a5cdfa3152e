import { type InputHTMLAttributes, type ReactNode, type Ref, useId, useState } from 'react';
import { Icon } from './icons.tsx';
import styles from './native.module.css';

interface FieldProps extends InputHTMLAttributes<HTMLInputElement> {
  readonly label: string;
  readonly description?: string;
  /** Error message for the entry; undefined without an error. */
  readonly error?: string | undefined;
  readonly ref?: Ref<HTMLInputElement>;
}

/** A text field that does not use the component library. */
export function NativeField({ label, description, error, children, ...rest }: FieldProps & { children?: ReactNode }) {
  const id = useId();
  const about = [
    rest['aria-describedby'] ?? [],
    description === undefined ? [] : `${id}-description`,
    error === undefined ? [] : `${id}-error`,
  ].flat();
  return (
    <div>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      <span className={styles.inner}>
        <input
          type="text"
          {...rest}
          id={id}
          className={styles.input}
          aria-invalid={error !== undefined}
          aria-describedby={about.length === 0 ? undefined : about.join(' ')}
        />
        {children}
      </span>
      {description !== undefined && (
        <p className={styles.description} id={`${id}-description`}>
          {description}
        </p>
      )}
      {error !== undefined && (
        <p className={styles.error} id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}

/** A password field with a button that shows the password. */
export function NativePasswordField({ revealLabel, ...rest }: FieldProps & { readonly revealLabel: string }) {
  const [isShown, setShown] = useState(false);
  return (
    <NativeField {...rest} type={isShown ? 'text' : 'password'}>
      <button
        type="button"
        className={styles.reveal}
        aria-label={revealLabel}
        aria-pressed={isShown}
        tabIndex={-1}
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => setShown(!isShown)}
      >
        <Icon name={isShown ? 'unseen' : 'seen'} />
      </button>
    </NativeField>
  );
}
