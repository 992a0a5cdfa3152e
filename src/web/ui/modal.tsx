import { Modal as LibraryModal, type ModalProps } from '@mantine/core';
import { useReturnedFocus } from '../lib/use-returned-focus.ts';

/** A dialog over the page. Closing it returns the focus to the control that opened it. */
export function Modal(props: ModalProps) {
  useReturnedFocus(props.opened);
  return <LibraryModal {...props} returnFocus={false} />;
}
