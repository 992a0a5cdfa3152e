import { useEnvironment } from '../../lib/environment.ts';
import { PlainMappings } from './plain-list.tsx';

/** Lines of business of the PSA and the classes of the books. */
export function Component() {
  const { psa } = useEnvironment();
  return (
    <PlainMappings
      namespace="LineOfBusiness"
      title="Lines of Business"
      lead={`${psa.label} lines of business are mapped to QuickBooks classes. Mapping is optional; with no mappings all transactions are synced.`}
      what="line of business mappings"
      sourceNoun="lines of business"
      targetNoun="classes"
    />
  );
}
