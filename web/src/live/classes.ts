// Which of our drawings stands for an aircraft: by its ICAO type designator, else by its ADS-B emitter category.
export const CLASSES = [
  "unknown",
  "airliner",
  "heavy",
  "jumbo",
  "business_jet",
  "turboprop",
  "light",
  "glider",
  "helicopter",
  "fighter",
  "transport",
  "balloon",
  "drone",
  "vehicle",
] as const;
export type AircraftClass = (typeof CLASSES)[number];
const NUMBER = Object.fromEntries(CLASSES.map((name, at) => [name, at])) as Record<AircraftClass, number>;

/** Size on the screen relative to an airliner. */
export const SCALE: Record<AircraftClass, number> = {
  unknown: 0.85,
  airliner: 1,
  heavy: 1.22,
  jumbo: 1.36,
  business_jet: 0.84,
  turboprop: 0.92,
  light: 0.76,
  glider: 0.9,
  helicopter: 0.84,
  fighter: 0.86,
  transport: 1.12,
  balloon: 0.84,
  drone: 0.7,
  vehicle: 0.5,
};

const TYPES: [AircraftClass, RegExp][] = [
  ["jumbo", /^(A38.|B74.|A124|A225|A34.|B52|IL96|IL86|C5M|C5)$/],
  ["transport", /^(C130|C30J|A400|C17|K35.|C160|AN12|C135|E3..|P3|C2|IL76|KC..|C295|CN35|AN26|L100|VOYA)$/],
  ["heavy", /^(A30.|A31.|A33.|A35.|B76.|B77.|B78.|MD11|DC10|L101)$/],
  [
    "airliner",
    /^(A19.|A20.|A21.|A318|A319|A32.|B70.|B71.|B72.|B73.|B75.|B3.M|BCS.|E1[679].|E2..|E75.|MD8.|MD9.|F70|F100|RJ..|B46.|CRJ.|E135|E145|SU95|T154|T204|C919|AJ27|DC9.?|J328)$/,
  ],
  [
    "business_jet",
    /^(C25.|C50.|C51.|C52.|C55.|C56.|C65.|C68.|C70.|C75.|CL3.|CL60|E35L|E50P|E55P|E545|E550|F2TH|F900|FA..|G1..|G2..|GL..|GA..|GLF.|GLEX|LJ..|H25.|HDJT|BE40|PRM1|ASTR|EA50|PC24|SF50|GALX|G280)$/,
  ],
  [
    "turboprop",
    /^(AT[47].|AT4.|AT7.|DH8.|SF34|SB20|D328|D228|JS..|E110|E120|B190|BE[9]..|BE20|BE30|B350|B300|PC12|TBM.|C208|C441|P180|SW[234]|L410|AN24|DHC6|F50|F27|P46T|M600|C425|MU2|AC90|PC6T|KODI|BE10|E120)$/,
  ],
  [
    "helicopter",
    /^(H1..|H2..|H4..|H5..|H6..|H7..|H9..|HU..|EC..|AS[35].|A109|A119|A129|A139|A149|A169|A189|B06|B06T|B105|B205|B206|B212|B214|B22.|B23.|B4[0-9].|B505|R22|R44|R66|S55|S6..|S7..|S9..|MD5.|MD6.|MD90|UH..|CH..|AH..|MH..|EXPL|EH10|NH90|LYNX|PUMA|GAZL|ALO.|LAMA|MI..?|KA..|G2CA|CABR|EN..|EXEC|V22|TIGR)$/,
  ],
  [
    "fighter",
    /^(F1[0-9]|F1[0-9]F|F2[0-9]|F3[0-9]|F4|F5|F18.|F22|F35|EUFI|RFAL|TOR|MIR.|GRIP|JAS.|SU[23].|MG..|A10|AV8.|T38|HAWK|HUNT|L39|L159|AJET|M346|B1|B2|U2|SR71|TEX2|PC21|PC9)$/,
  ],
  [
    "glider",
    /^(GLID|AS[12WGK].*|DG..|DUOD|DISC|LS..?|VENT|NIMB|JANU|ARCU|K21|S10S|S12|SZ..|PIPI|TS1J|G109|SF25|HK36|DIMO)$/,
  ],
  ["balloon", /^(BALL|SHIP)$/],
  ["drone", /^(DRON|Q[0-9].*|MQ.*|RQ.*|HRON|HERN)$/],
  ["vehicle", /^(GRND|SERV|EMER|TWR|FACI)$/],
  [
    "light",
    /^(C1..|C2[01].|C3..|C4[01].|P28.|PA..|P32.|P68|SR2.|SR20|DA[24].|DA50|DV20|BE[357].|BE2.|M20.|AA[15].|G115|GROB|RV.*|TB..|TOBA|DR40|DR..|RALL|AT3|AQUI|SIRA|ULAC|GYRO|EV97|C42|CTLS|FK..|P208|P2..|PC7|T6|DHC[123]|DH82|EXTR|E300|E200|PITT|CH..|PNR.|WT9|SAVG|VL3|PIVI|BL8|CP..|F260|Z...|YK..|AN2|BN2P|AP..|PULS|ECHO|TAMP|TRIN|S22T|COL.|LNC.|GLAS|GA8|M7|HUSK|CUB.|J3|L4|RF..|J...)$/,
  ],
];

const CATEGORIES: Record<string, AircraftClass> = {
  A1: "light",
  A2: "business_jet",
  A3: "airliner",
  A4: "airliner",
  A5: "heavy",
  A6: "fighter",
  A7: "helicopter",
  B1: "glider",
  B2: "balloon",
  B4: "light",
  B6: "drone",
  C1: "vehicle",
  C2: "vehicle",
  C3: "vehicle",
};

const memory = new Map<string, number>();

/** The number of the drawing for a type designator and an emitter category. */
export function classNumber(type: unknown, category: unknown, military: boolean): number {
  const key = `${String(type ?? "")} ${String(category ?? "")} ${military}`;
  let number = memory.get(key);
  if (number === undefined) {
    number = NUMBER[classOf(String(type ?? ""), String(category ?? ""), military)];
    if (memory.size > 20_000) memory.clear();
    memory.set(key, number);
  }
  return number;
}

export function classOf(type: string, category: string, military: boolean): AircraftClass {
  const designator = type.toUpperCase();
  for (const [name, pattern] of TYPES) if (pattern.test(designator)) return name;
  return CATEGORIES[category] ?? (military ? "fighter" : "unknown");
}
