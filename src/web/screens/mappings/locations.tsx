import { useEnvironment } from '../../lib/environment.ts';
import { PlainMappings } from './plain-list.tsx';

/** Lines of business of the PSA and the locations of the books. */
export function Component() {
  const { psa } = useEnvironment();
  return (
    <PlainMappings
      namespace="Location"
      title="Locations"
      lead={`${psa.label} lines of business are mapped to QuickBooks locations. It counts where QuickBooks tracks locations and “Location of documents” in Settings is “By line of business”.`}
      what="location mappings"
      sourceNoun="lines of business"
      targetNoun="locations"
    />
  );
}
