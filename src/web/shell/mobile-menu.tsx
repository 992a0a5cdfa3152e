import { Drawer } from '@mantine/core';
import type { Role } from '#core/roles.ts';
import { useFocusReturn } from '../components/use-focus-return.ts';
import { Brand } from './brand.tsx';
import { MenuList } from './menu.tsx';

interface MobileMenuProps {
  isOpen: boolean;
  onClose: () => void;
  roles: readonly Role[];
}

/** The menu on a phone: a drawer over the page. */
export function MobileMenu({ isOpen, onClose, roles }: MobileMenuProps) {
  useFocusReturn(isOpen);
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
      returnFocus={false}
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
