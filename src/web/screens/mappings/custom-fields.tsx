import { useEnvironment } from '../../lib/environment.ts';
import { PlainMappings } from './plain-list.tsx';

/** Fields of a PSA invoice and the custom fields of the books that carry them. */
export function Component() {
  const { psa } = useEnvironment();
  return (
    <PlainMappings
      namespace="SalesCustomField"
      title="Custom Fields"
      lead={`What ${psa.label} knows of an invoice can stand in a custom field of QuickBooks. Connect both apps first.`}
      what="custom fields"
      sourceNoun="fields"
      targetNoun="custom fields"
    />
  );
}
