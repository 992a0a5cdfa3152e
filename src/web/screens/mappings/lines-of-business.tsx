import { MappingScreen } from './mapping-screen.tsx';

/** Maps PSA lines of business to QuickBooks classes. */
export const Component = () => (
  <MappingScreen
    title="Lines of Business"
    lead={(psa) =>
      `${psa} lines of business are mapped to QuickBooks classes. Mapping is optional; with no mappings all transactions are synced.`
    }
    what="line of business mappings"
    tabs={[{ key: 'LineOfBusiness', label: 'Lines of Business' }]}
  />
);
