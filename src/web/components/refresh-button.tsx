import { Button } from '@mantine/core';
import { Icon } from './icons.tsx';

interface RefreshButtonProps {
  isDisabled?: boolean;
  isBusy?: boolean;
  onPress: () => void;
}

/** Reads the data of a screen again. */
export const RefreshButton = ({ isDisabled = false, isBusy = false, onPress }: RefreshButtonProps) => (
  <Button
    variant="default"
    leftSection={<Icon name="refresh" size={16} />}
    disabled={isDisabled}
    loading={isBusy}
    onClick={onPress}
  >
    Refresh
  </Button>
);
