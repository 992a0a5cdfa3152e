import { Drawer } from '@mantine/core';
import type { Role } from '#core/roles.ts';
import { useReturnedFocus } from '../lib/use-returned-focus.ts';
import { Brand } from './brand.tsx';
import { MenuList } from './menu.tsx';
import { shellWords } from './words.ts';

/** The menu on a phone: a sheet over the page. */
export function MenuSheet({
  isOpen,
  onClose,
  roles,
}: {
  isOpen: boolean;
  onClose: () => void;
  roles: readonly Role[];
}) {
  useReturnedFocus(isOpen);
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
      returnFocus={false}
      size={280}
      title={<Brand />}
      closeButtonProps={{ 'aria-label': shellWords.closeMenu }}
    >
      <nav aria-label={shellWords.main}>
        <MenuList roles={roles} />
      </nav>
    </Drawer>
  );
}
