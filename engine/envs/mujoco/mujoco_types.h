// The parts of MuJoCo's interface that are equal in all supported versions: the names of its types,
// the numbers of its enums, and the structures whose layout has not changed. The build needs no
// headers of MuJoCo. layout.h has the parts that differ between versions. `python -m
// tools.mujoco_layouts` compares both files with MuJoCo's headers. Pure data.
#ifndef ENGINE_ENVS_MUJOCO_MUJOCO_TYPES_H_
#define ENGINE_ENVS_MUJOCO_MUJOCO_TYPES_H_

// Equal to the declarations in MuJoCo's headers, because tests include both.
struct mjModel_;
struct mjData_;
struct mjSpec_;
struct mjVFS_;
struct mjvOption_;
struct mjvPerturb_;
struct mjvScene_;
struct mjrContext_;
using mjModel = mjModel_;
using mjData = mjData_;
using mjSpec = mjSpec_;
using mjVFS = mjVFS_;
using mjvOption = mjvOption_;
using mjvPerturb = mjvPerturb_;
using mjvScene = mjvScene_;
using mjrContext = mjrContext_;

namespace engine::mujoco {

// Each constant has the number of the enum value in its comment.
inline constexpr int kObjectBody = 1;              // mjOBJ_BODY
inline constexpr int kObjectJoint = 3;             // mjOBJ_JOINT
inline constexpr int kObjectGeom = 5;              // mjOBJ_GEOM
inline constexpr int kObjectSite = 6;              // mjOBJ_SITE
inline constexpr int kObjectCamera = 7;            // mjOBJ_CAMERA
inline constexpr int kObjectLight = 8;             // mjOBJ_LIGHT
inline constexpr int kObjectMaterial = 14;         // mjOBJ_MATERIAL
inline constexpr int kObjectPair = 15;             // mjOBJ_PAIR
inline constexpr int kObjectEquality = 17;         // mjOBJ_EQUALITY
inline constexpr int kObjectTendon = 18;           // mjOBJ_TENDON
inline constexpr int kObjectActuator = 19;         // mjOBJ_ACTUATOR
inline constexpr int kObjectSensor = 20;           // mjOBJ_SENSOR
inline constexpr int kJointFree = 0;               // mjJNT_FREE
inline constexpr int kJointBall = 1;               // mjJNT_BALL
inline constexpr int kJointSlide = 2;              // mjJNT_SLIDE
inline constexpr int kJointHinge = 3;              // mjJNT_HINGE
inline constexpr int kEqualityWeld = 1;            // mjEQ_WELD
inline constexpr int kBiasNone = 0;                // mjBIAS_NONE
inline constexpr int kSensorAccelerometer = 1;     // mjSENS_ACCELEROMETER
inline constexpr int kSensorVelocimeter = 2;       // mjSENS_VELOCIMETER
inline constexpr int kSensorGyro = 3;              // mjSENS_GYRO
inline constexpr int kSensorForce = 4;             // mjSENS_FORCE
inline constexpr int kSensorTorque = 5;            // mjSENS_TORQUE
inline constexpr int kSensorRangefinder = 7;       // mjSENS_RANGEFINDER
inline constexpr int kSensorJointPosition = 9;     // mjSENS_JOINTPOS
inline constexpr int kIntegratorRk4 = 1;           // mjINT_RK4
inline constexpr int kIntegratorLast = 3;          // mjINT_IMPLICITFAST
inline constexpr int kConeLast = 1;                // mjCONE_ELLIPTIC
inline constexpr int kJacobianLast = 2;            // mjJAC_AUTO
inline constexpr int kSolverLast = 2;              // mjSOL_NEWTON
inline constexpr int kCameraFree = 0;              // mjCAMERA_FREE
inline constexpr int kCameraFixed = 2;             // mjCAMERA_FIXED
inline constexpr int kCategoryAll = 7;             // mjCAT_ALL
inline constexpr int kFontScale150 = 150;          // mjFONTSCALE_150
inline constexpr int kBufferOffscreen = 1;         // mjFB_OFFSCREEN
inline constexpr int kDisableContact = 1 << 4;     // mjDSBL_CONTACT
inline constexpr int kDisableActuation = 1 << 11;  // mjDSBL_ACTUATION
inline constexpr int kEnableEnergy = 1 << 1;       // mjENBL_ENERGY
inline constexpr int kStageVelocity = 2;           // mjSTAGE_VEL
inline constexpr int kGeomPlane = 0;               // mjGEOM_PLANE
inline constexpr int kGeomSphere = 2;              // mjGEOM_SPHERE
inline constexpr int kGeomCapsule = 3;             // mjGEOM_CAPSULE
inline constexpr int kGeomEllipsoid = 4;           // mjGEOM_ELLIPSOID
inline constexpr int kGeomCylinder = 5;            // mjGEOM_CYLINDER
inline constexpr int kGeomBox = 6;                 // mjGEOM_BOX
inline constexpr int kLogError = 3;                // mjLOG_ERROR, since 3.10
// Array sizes and limits of the physics.
inline constexpr int kReferences = 2;  // mjNREF, length of a solref
inline constexpr int kImpedances = 5;  // mjNIMP, length of a solimp
inline constexpr double kMin = 1e-15;  // mjMINVAL

// The layout of mjvCamera.
struct Camera {
  int type;
  int fixedcamid;
  int trackbodyid;
  double lookat[3];
  double distance;   // m
  double azimuth;    // degrees
  double elevation;  // degrees
  int orthographic;
};

// The layout of mjrRect, in pixels.
struct Viewport {
  int left;
  int bottom;
  int width;
  int height;
};

// The layout of mjWarningStat.
struct WarningStat {
  int lastinfo;
  int number;  // number of times that the warning was raised
};

// The first members of mjLogMessage, which exists since 3.10.
struct LogMessage {
  int level;
  int topic;
  char subject[1024];  // ends with a NUL
};

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_MUJOCO_TYPES_H_
