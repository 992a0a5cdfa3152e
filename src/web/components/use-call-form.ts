import { useForm } from '@mantine/form';
import { useEffect } from 'react';
import { fieldsOf } from './form.tsx';

/**
 * The fields of a form that a call sends. An error of the server is shown at its field until the user edits the field.
 *
 * @returns `field`: the props of one field; `state`: the props of a `DialogForm`, with the error if no field shows it.
 */
export function useCallForm<Values extends Record<string, unknown>>(
  initialValues: Values,
  call: { readonly error: Error | null; readonly isPending: boolean },
) {
  const { getInputProps, setErrors, values, setValues, reset } = useForm({ initialValues });
  const { error, isPending } = call;
  useEffect(() => setErrors(fieldsOf(error)), [error, setErrors]);
  const isAtField = Object.keys(fieldsOf(error)).some((name) => name in values);
  return {
    values,
    setValues,
    reset,
    field: (name: keyof Values & string) => getInputProps(name),
    state: { error: isAtField ? null : (error?.message ?? null), isBusy: isPending },
  };
}
