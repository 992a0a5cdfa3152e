import { Modal as LibraryModal, type ModalProps } from '@mantine/core';
import { useFocusReturn } from '../components/use-focus-return.ts';

/** A dialog over the page. Closing it returns the focus to the control that opened it. */
export function Modal(props: ModalProps) {
  useFocusReturn(props.opened);
  return <LibraryModal {...props} returnFocus={false} />;
}
