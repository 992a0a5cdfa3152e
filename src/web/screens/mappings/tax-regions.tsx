import { useEnvironment } from '../../lib/environment.ts';
import { PlainMappings } from './plain-list.tsx';

/** Tax regions of the PSA and the tax codes of the books. */
export function Component() {
  const { psa } = useEnvironment();
  return (
    <PlainMappings
      namespace="TaxRegion"
      title="Tax Regions"
      lead={`${psa.label} tax regions are mapped to QuickBooks tax codes. Without a mapping, a tax code of the same name is used.`}
      what="tax region mappings"
      sourceNoun="tax regions"
      targetNoun="tax codes"
    />
  );
}
