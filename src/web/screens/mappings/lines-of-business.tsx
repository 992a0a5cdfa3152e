import { PlainMappings } from './plain-list.tsx';

/** Maps PSA lines of business to QuickBooks classes. */
export const Component = () => (
  <PlainMappings
    namespace="LineOfBusiness"
    title="Lines of Business"
    lead={(psa) =>
      `${psa} lines of business are mapped to QuickBooks classes. Mapping is optional; with no mappings all transactions are synced.`
    }
    what="line of business mappings"
    target={['class', 'classes']}
  />
);
