import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { exportData } from '#contract/calls/clients.ts';
import { download } from '../data/download.ts';
import { clearErrors, showError } from '../components/flash.ts';

/** Saves all data of the client as a file. */
export function ExportButton() {
  const save = useMutation({
    mutationFn: () => {
      clearErrors();
      return download(exportData);
    },
    onError: (error) => showError(error.message),
  });
  return (
    <Button variant="default" loading={save.isPending} onClick={() => save.mutate()}>
      Export all data
    </Button>
  );
}
