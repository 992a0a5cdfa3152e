import { Button } from '@mantine/core';
import { Icon } from './icons.tsx';

/** Reads the data of a screen again. */
export const RefreshButton = ({
  isDisabled = false,
  isBusy = false,
  onPress,
}: {
  isDisabled?: boolean;
  isBusy?: boolean;
  onPress: () => void;
}) => (
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
