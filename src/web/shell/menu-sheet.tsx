import { Drawer } from '@mantine/core';
import type { Role } from '#core/roles.ts';
import { Brand } from './brand.tsx';
import { MenuList } from './menu.tsx';

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
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
      size={280}
      title={<Brand />}
      closeButtonProps={{ 'aria-label': 'Close menu' }}
    >
      <nav aria-label="Main">
        <MenuList roles={roles} />
      </nav>
    </Drawer>
  );
}
